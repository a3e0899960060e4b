-- A topic's marks are found without reading every click of it. A body that cannot be read
-- has no kind.

CREATE INDEX event_kind ON event (topic, (CASE WHEN json_valid(body) THEN body ->> 'kind' END));

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 3;
