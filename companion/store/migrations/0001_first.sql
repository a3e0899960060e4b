-- Everything the companion keeps, as it was before the database was migrated step by step:
-- the statements leave tables alone that such a database has already.

CREATE TABLE IF NOT EXISTS topic (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,          -- milliseconds since 1970
    model   BLOB,                      -- model file of the last crawl
    version INTEGER NOT NULL DEFAULT 0 -- grows with every change of the model
) STRICT;

-- What happened in the browser or on the dashboard, in the order it came in.
CREATE TABLE IF NOT EXISTS event (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE,       -- chosen by the sender: sent twice, taken once
    topic  INTEGER NOT NULL REFERENCES topic,
    time   INTEGER NOT NULL,
    body   TEXT NOT NULL               -- JSON, see the API's Event
) STRICT;

-- What counts as found for a topic, where it is not what its targets are like.
CREATE TABLE IF NOT EXISTS looked_for (
    topic  INTEGER PRIMARY KEY REFERENCES topic,
    critic TEXT NOT NULL               -- name of a critic, or a predicate
) STRICT;

CREATE TABLE IF NOT EXISTS crawl (
    id          INTEGER PRIMARY KEY,
    topic       INTEGER NOT NULL REFERENCES topic,
    created     INTEGER NOT NULL,
    state       TEXT NOT NULL,         -- running, paused, stopped, done
    stop_reason TEXT NOT NULL DEFAULT '',
    budget      INTEGER NOT NULL,
    delay       INTEGER NOT NULL,      -- milliseconds
    random_seed INTEGER NOT NULL,
    seeds       TEXT NOT NULL,         -- JSON: [[address, is_example], ...]
    hosts       TEXT NOT NULL,         -- JSON: hosts to keep to
    start_model BLOB NOT NULL,         -- model file the crawl started with
    warc_length INTEGER NOT NULL DEFAULT 0 -- bytes acknowledged
) STRICT;

-- When a crawl leaves a site, where it does.
CREATE TABLE IF NOT EXISTS leaving (
    crawl   INTEGER PRIMARY KEY REFERENCES crawl,
    pages   INTEGER,                   -- after so many of its pages
    targets INTEGER                    -- after so many targets
) STRICT;

CREATE TABLE IF NOT EXISTS fetch (
    crawl       INTEGER NOT NULL REFERENCES crawl,
    number      INTEGER NOT NULL,      -- from 1, in the order the answers came
    address     TEXT NOT NULL,
    trail       TEXT NOT NULL,         -- JSON: addresses, newest first
    anchor      TEXT NOT NULL,
    reason      TEXT NOT NULL,
    priority    REAL,
    relevance   REAL,                  -- NULL where no page came
    is_target   INTEGER NOT NULL,
    scored      INTEGER NOT NULL,
    title       TEXT NOT NULL,
    snippet     TEXT NOT NULL,
    problem     TEXT NOT NULL,
    redirect    TEXT,
    warc_offset INTEGER,
    time        INTEGER NOT NULL,
    PRIMARY KEY (crawl, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS fetch_address ON fetch (crawl, address);

-- Searchable forms that crawls found.
CREATE TABLE IF NOT EXISTS form (
    crawl      INTEGER NOT NULL REFERENCES crawl,
    number     INTEGER NOT NULL,       -- of the fetch that brought the page
    name       TEXT NOT NULL,          -- what it is called by on its page
    action     TEXT NOT NULL,
    fields     TEXT NOT NULL,          -- JSON: names of the fields that are seen
    confidence REAL NOT NULL,          -- 0 to 1
    wanted     INTEGER NOT NULL,       -- whether its database is looked for
    PRIMARY KEY (crawl, number, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS device (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    origin  TEXT NOT NULL,             -- the extension's origin, if it sent one
    digest  TEXT NOT NULL UNIQUE,      -- its identifier, chosen when it was paired
    key     TEXT NOT NULL,             -- agreed on when it was paired, in hexadecimal
    created INTEGER NOT NULL
) STRICT;

-- What a crawl does when it loses its way, where it is told other than usual.
CREATE TABLE IF NOT EXISTS on_drift (
    crawl    INTEGER PRIMARY KEY REFERENCES crawl,
    reaction TEXT NOT NULL             -- tell, narrow, pause
) STRICT;

-- When a crawl lost its way.
CREATE TABLE IF NOT EXISTS alarm (
    crawl  INTEGER NOT NULL REFERENCES crawl,
    number INTEGER NOT NULL,           -- of the fetch that gave the alarm
    cause  TEXT NOT NULL,              -- exhausted, lure, unsure
    said   TEXT NOT NULL,
    PRIMARY KEY (crawl, number)
) STRICT, WITHOUT ROWID;

-- Pages that crawls ask the person about.
CREATE TABLE IF NOT EXISTS question (
    crawl   INTEGER NOT NULL REFERENCES crawl,
    address TEXT NOT NULL,
    asked   INTEGER NOT NULL,
    answer  TEXT NOT NULL DEFAULT '',  -- yes, no, skip; empty as long as it is open
    PRIMARY KEY (crawl, address)
) STRICT, WITHOUT ROWID;

-- Links whose turn came and that were not asked for.
CREATE TABLE IF NOT EXISTS skipped (
    crawl   INTEGER NOT NULL REFERENCES crawl,
    address TEXT NOT NULL,
    reason  TEXT NOT NULL,
    is_seed INTEGER NOT NULL,
    PRIMARY KEY (crawl, address)
) STRICT, WITHOUT ROWID;

-- What people should hear of a topic, or of one of its crawls.
CREATE TABLE IF NOT EXISTS notice (
    topic INTEGER NOT NULL REFERENCES topic,
    crawl INTEGER NOT NULL,            -- 0: of the topic itself
    time  INTEGER NOT NULL,
    said  TEXT NOT NULL,
    PRIMARY KEY (topic, crawl, said)
) STRICT, WITHOUT ROWID;

-- What a crawl is told that another process runs.
CREATE TABLE IF NOT EXISTS command (
    number  INTEGER PRIMARY KEY,
    crawl   INTEGER NOT NULL REFERENCES crawl,
    kind    TEXT NOT NULL,             -- pause, stop, mark
    address TEXT NOT NULL,             -- of the page that is marked
    target  INTEGER                    -- 1: target, 0: not, NULL: mark taken back
) STRICT;
