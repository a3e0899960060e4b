-- A topic can be removed, and brought back: it stays here, out of sight.

ALTER TABLE topic ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 7;
