-- Numbers of events are never given twice: browsers ask for what was taken in after one of
-- them, also when it was forgotten meanwhile.

CREATE TABLE numbered (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id     TEXT NOT NULL UNIQUE,       -- chosen by the sender: sent twice, taken once
    topic  INTEGER NOT NULL REFERENCES topic,
    time   INTEGER NOT NULL,
    body   TEXT NOT NULL               -- JSON, see the API's Event
) STRICT;
INSERT INTO numbered (number, id, topic, time, body)
SELECT number, id, topic, time, body FROM event ORDER BY number;
DROP TABLE event;
ALTER TABLE numbered RENAME TO event;
CREATE INDEX event_kind ON event (topic, (CASE WHEN json_valid(body) THEN body ->> 'kind' END));

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 6;
