-- What people may do in single topics.

CREATE TABLE topic_role (
    account INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    topic   INTEGER NOT NULL REFERENCES topic (id) ON DELETE CASCADE,
    role    TEXT NOT NULL,
    PRIMARY KEY (account, topic)
) STRICT;
CREATE INDEX topic_role_topic ON topic_role (topic);

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 25;
