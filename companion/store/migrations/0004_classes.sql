-- A topic may have a taxonomy, by whose classes its pages are judged, and the log says of
-- every page what class it was taken for.

ALTER TABLE topic ADD COLUMN taxonomy BLOB;               -- the taxonomy's file
ALTER TABLE fetch ADD COLUMN class TEXT NOT NULL DEFAULT ''; -- likeliest class, a path

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 4;
