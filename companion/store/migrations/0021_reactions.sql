-- What a crawl does when it loses its way can be changed while it goes on. `on_drift` is what is
-- wanted; here stands from which request on it did what: [number, reaction], in their order, and
-- nothing for a crawl whose reaction was never changed.

ALTER TABLE crawl ADD COLUMN reactions TEXT NOT NULL DEFAULT '[]';

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 21;
