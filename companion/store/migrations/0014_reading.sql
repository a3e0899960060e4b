-- Pages that browsers kept as they were read are a crawl that asks for nothing.

ALTER TABLE crawl ADD COLUMN is_reading INTEGER NOT NULL DEFAULT 0;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 14;
