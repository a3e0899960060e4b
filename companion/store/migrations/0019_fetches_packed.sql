-- Rows of the log, laid out so that several fit into a page of the file: without a number of its own
-- a row that is longer than a quarter of one took a whole page besides, and most are, since a row
-- has the way to its page.

CREATE TABLE fetch_packed (
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
    class       TEXT NOT NULL DEFAULT '',
    waiting     REAL,
    arm         INTEGER,
    PRIMARY KEY (crawl, number)
) STRICT;

INSERT INTO fetch_packed (crawl, number, address, trail, anchor, reason, priority, relevance,
                          is_target, scored, title, snippet, problem, redirect, warc_offset, time,
                          class, waiting, arm)
SELECT crawl, number, address, trail, anchor, reason, priority, relevance, is_target, scored, title,
       snippet, problem, redirect, warc_offset, time, class, waiting, arm
FROM fetch ORDER BY crawl, number;

DROP TABLE fetch;
ALTER TABLE fetch_packed RENAME TO fetch;

CREATE INDEX fetch_address ON fetch (crawl, address);
CREATE INDEX fetch_redirect ON fetch (crawl, redirect) WHERE redirect IS NOT NULL;

-- The best finds, and what was counted of links that wait, without a look at all rows.
CREATE INDEX fetch_finds ON fetch (crawl, relevance DESC, number) WHERE is_target AND scored;
CREATE INDEX fetch_waiting ON fetch (crawl, number) WHERE waiting IS NOT NULL;

-- How often lines of a crawl's log that were there have changed or gone.
CREATE TABLE log_change (
    crawl   INTEGER PRIMARY KEY,
    changes INTEGER NOT NULL
) STRICT;

CREATE TRIGGER fetch_added AFTER INSERT ON fetch BEGIN
    UPDATE crawl SET requests = requests + 1,
        pages = pages + (NEW.relevance IS NOT NULL),
        scored = scored + NEW.scored,
        relevant = relevant + (NEW.is_target AND NEW.scored)
    WHERE id = NEW.crawl;
END;

CREATE TRIGGER fetch_removed AFTER DELETE ON fetch BEGIN
    UPDATE crawl SET requests = requests - 1,
        pages = pages - (OLD.relevance IS NOT NULL),
        scored = scored - OLD.scored,
        relevant = relevant - (OLD.is_target AND OLD.scored)
    WHERE id = OLD.crawl;
END;

CREATE TRIGGER fetch_changed AFTER UPDATE OF relevance, is_target, scored ON fetch BEGIN
    UPDATE crawl SET
        pages = pages + (NEW.relevance IS NOT NULL) - (OLD.relevance IS NOT NULL),
        scored = scored + NEW.scored - OLD.scored,
        relevant = relevant + (NEW.is_target AND NEW.scored) - (OLD.is_target AND OLD.scored)
    WHERE id = NEW.crawl;
END;

CREATE TRIGGER fetch_touched AFTER UPDATE ON fetch BEGIN
    INSERT INTO log_change (crawl, changes) VALUES (NEW.crawl, 1)
    ON CONFLICT (crawl) DO UPDATE SET changes = changes + 1;
END;

CREATE TRIGGER fetch_gone AFTER DELETE ON fetch BEGIN
    INSERT INTO log_change (crawl, changes) VALUES (OLD.crawl, 1)
    ON CONFLICT (crawl) DO UPDATE SET changes = changes + 1;
END;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 19;
