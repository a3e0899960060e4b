-- Topics that stand: now and then pages are looked at again, and links that came are followed.

CREATE TABLE standing (
    topic    INTEGER PRIMARY KEY REFERENCES topic,
    every    INTEGER NOT NULL,         -- milliseconds between two rounds
    requests INTEGER NOT NULL,         -- of one round at most
    due      INTEGER NOT NULL,         -- when the next one begins, milliseconds since 1970
    feed     TEXT NOT NULL UNIQUE      -- what its feed lies under: a secret
) STRICT;

-- Rounds of a standing topic are crawls from pages that may have changed.
ALTER TABLE crawl ADD COLUMN is_round INTEGER NOT NULL DEFAULT 0;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 11;
