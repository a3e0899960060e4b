-- How well the relevant pages found are covered, where what is not found was counted; and the share
-- of all of them after which a crawl ends.

ALTER TABLE fetch ADD COLUMN coverage REAL;
ALTER TABLE crawl ADD COLUMN until_recall REAL;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 26;
