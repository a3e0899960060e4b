-- How many relevant pages were expected among the links that waited, where that was counted.

ALTER TABLE fetch ADD COLUMN waiting REAL;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 16;
