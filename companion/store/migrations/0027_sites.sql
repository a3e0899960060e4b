-- Sites of which nothing is remembered from one topic to another.

CREATE TABLE forgotten_site (host TEXT NOT NULL PRIMARY KEY) STRICT;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 27;
