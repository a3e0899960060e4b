-- Model files, which may take a hundred megabytes, beside the rows that they belong to: what stood
-- behind one in its row could be read only by walking all of it, and each fetch wrote the crawl's
-- again.

CREATE TABLE model (
    topic INTEGER PRIMARY KEY REFERENCES topic,
    file  BLOB NOT NULL                -- of the last crawl
) STRICT;

CREATE TABLE start_model (
    crawl INTEGER PRIMARY KEY REFERENCES crawl,
    file  BLOB NOT NULL                -- with which the crawl started
) STRICT;

INSERT INTO model SELECT id, model FROM topic WHERE model IS NOT NULL;
INSERT INTO start_model SELECT id, start_model FROM crawl;

ALTER TABLE topic DROP COLUMN model;
ALTER TABLE crawl DROP COLUMN start_model;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 20;
