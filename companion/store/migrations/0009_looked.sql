-- Up to which number of its log the person has seen a crawl's pages: what came later is new.

ALTER TABLE crawl ADD COLUMN looked INTEGER NOT NULL DEFAULT 0;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 9;
