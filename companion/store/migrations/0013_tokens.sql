-- Tokens by which programs may call; of a token only its digest is kept.

CREATE TABLE token (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    name    TEXT NOT NULL,
    may     TEXT NOT NULL,               -- JSON: what it permits
    digest  TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,            -- milliseconds since 1970
    used    INTEGER NOT NULL DEFAULT 0   -- when it was used last, about; 0: never
) STRICT;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 13;
