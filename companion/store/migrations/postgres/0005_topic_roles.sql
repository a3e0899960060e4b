-- What people may do in single topics, and who they are to an OpenID Connect provider.

CREATE TABLE topic_role (
    account BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    topic   BIGINT NOT NULL REFERENCES topic (id) ON DELETE CASCADE,
    role    TEXT NOT NULL,
    PRIMARY KEY (account, topic)
);
CREATE INDEX topic_role_topic ON topic_role (topic);

ALTER TABLE account ADD COLUMN subject TEXT;
CREATE UNIQUE INDEX account_subject ON account (subject);
