-- People who share what is kept here, where they are signed in, and what they changed.

CREATE TABLE account (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL UNIQUE,
    role     TEXT NOT NULL,
    password TEXT NOT NULL,               -- as a hash that says how it was made
    created  INTEGER NOT NULL             -- milliseconds since 1970
) STRICT;

CREATE TABLE sign_in (
    digest  TEXT PRIMARY KEY,             -- of the secret in the browser
    account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    used    INTEGER NOT NULL              -- when it was used last, about
) STRICT;
CREATE INDEX sign_in_account ON sign_in (account);

CREATE TABLE deed (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    time    INTEGER NOT NULL,
    account TEXT NOT NULL,                -- what it was called
    what    TEXT NOT NULL
) STRICT;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 24;
