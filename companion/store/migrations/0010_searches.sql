-- Searches that the person keeps, of a topic or of all.

CREATE TABLE saved_search (
    id    INTEGER PRIMARY KEY,
    topic INTEGER REFERENCES topic,    -- NULL: all topics
    name  TEXT NOT NULL,
    words TEXT NOT NULL,               -- as they were typed
    pages TEXT NOT NULL,               -- finds, new, all
    first TEXT NOT NULL                -- best, likeliest, newest
) STRICT;

CREATE UNIQUE INDEX saved_search_name ON saved_search (coalesce(topic, 0), name);

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 10;
