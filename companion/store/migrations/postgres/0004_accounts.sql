-- People who share what is kept here, where they are signed in, and what they changed.

CREATE TABLE account (
    id       BIGSERIAL PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    role     TEXT NOT NULL,
    password TEXT NOT NULL,
    created  BIGINT NOT NULL
);

CREATE TABLE sign_in (
    digest  TEXT PRIMARY KEY,
    account BIGINT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    used    BIGINT NOT NULL
);
CREATE INDEX sign_in_account ON sign_in (account);

CREATE TABLE deed (
    id      BIGSERIAL PRIMARY KEY,
    time    BIGINT NOT NULL,
    account TEXT NOT NULL,
    what    TEXT NOT NULL
);
