-- Hosts that a person left out since a crawl began.

ALTER TABLE crawl ADD COLUMN left_since TEXT NOT NULL DEFAULT '[]';

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 18;
