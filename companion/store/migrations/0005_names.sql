-- A topic can be called otherwise: its name stays what it is known by, and here stands what
-- it is called now, once that differs.

ALTER TABLE topic ADD COLUMN called TEXT;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 5;
