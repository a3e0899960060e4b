-- Crawls can be removed and brought back, and be deleted for good: numbers of those are never
-- given again, since their archives may still have to be deleted.

ALTER TABLE crawl ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE topic ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0; -- all but its key is gone

CREATE TABLE deleted_crawl (id INTEGER PRIMARY KEY) STRICT;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 8;
