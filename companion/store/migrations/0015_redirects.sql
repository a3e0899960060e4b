-- Redirects of a crawl are found by where they lead.

CREATE INDEX fetch_redirect ON fetch (crawl, redirect) WHERE redirect IS NOT NULL;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 15;
