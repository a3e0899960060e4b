-- What a crawl leaves out, how far it goes, and whether it reads documents.

ALTER TABLE crawl ADD COLUMN left_out TEXT NOT NULL DEFAULT '[]'; -- hosts, as JSON
ALTER TABLE crawl ADD COLUMN depth INTEGER;                       -- links from a start at most
ALTER TABLE crawl ADD COLUMN documents INTEGER NOT NULL DEFAULT 0;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 12;
