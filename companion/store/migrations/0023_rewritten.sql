-- How often lines of a crawl's log have changed or gone in what a crawl that is taken up is told of
-- them: judgments are no part of that.

ALTER TABLE log_change ADD COLUMN rewritten INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER fetch_rewritten
AFTER UPDATE OF number, address, problem, redirect, warc_offset, arm ON fetch BEGIN
    INSERT INTO log_change (crawl, changes, rewritten) VALUES (NEW.crawl, 0, 1)
    ON CONFLICT (crawl) DO UPDATE SET rewritten = rewritten + 1;
END;

CREATE TRIGGER fetch_erased AFTER DELETE ON fetch BEGIN
    INSERT INTO log_change (crawl, changes, rewritten) VALUES (OLD.crawl, 0, 1)
    ON CONFLICT (crawl) DO UPDATE SET rewritten = rewritten + 1;
END;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 23;
