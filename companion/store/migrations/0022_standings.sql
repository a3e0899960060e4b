-- What the library asks of all pages at once, without a look at all rows.

CREATE INDEX fetch_standings ON fetch
    (crawl, number, relevance, is_target, scored, time, warc_offset) WHERE relevance IS NOT NULL;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 22;
