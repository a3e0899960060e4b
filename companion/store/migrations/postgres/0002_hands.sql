-- Hands: programs, on whatever machines, that make the requests of crawls. All that a hand does it does by
-- the functions whose names begin with `hand_`: a user of the database who may call these, and nothing
-- else, can be a hand.

-- The database's clock, in milliseconds since 1970: machines need not agree on the time.
CREATE FUNCTION clock_ms() RETURNS BIGINT LANGUAGE sql VOLATILE AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

CREATE TABLE hand (
    id      BIGINT PRIMARY KEY,        -- drawn at random: who knows it is that hand
    name    TEXT COLLATE "C" NOT NULL, -- what it calls itself
    since   BIGINT NOT NULL,
    seen    BIGINT NOT NULL,           -- when it said last that it is there
    answers BIGINT NOT NULL DEFAULT 0, -- that were taken
    refused BIGINT NOT NULL DEFAULT 0, -- that came too late, twice or to what it was not asked for
    bytes   BIGINT NOT NULL DEFAULT 0, -- of answers
    problem TEXT NOT NULL DEFAULT ''   -- why it makes no requests just now
);

-- Requests that crawls ask for, until their answers are taken.
CREATE TABLE task (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    crawl  BIGINT NOT NULL REFERENCES crawl ON DELETE CASCADE,
    asked  BYTEA NOT NULL,             -- what is to be done, see the crawler's `hands`
    hand   BIGINT,                     -- who does it
    since  BIGINT,                     -- from when on
    lease  BIGINT,                     -- drawn each time that it is given out: an answer has to name it
    answer BYTEA
);
-- They are packed when they come.
ALTER TABLE task ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE INDEX task_open ON task (number) WHERE hand IS NULL AND answer IS NULL;
CREATE INDEX task_of_hand ON task (hand) WHERE answer IS NULL;
CREATE INDEX task_answered ON task (crawl, number) WHERE answer IS NOT NULL;

-- When hosts may be asked again, for all crawls and hands. Hosts stand in it as hashes, for a day.
CREATE TABLE rest (
    host    BIGINT PRIMARY KEY,
    crawl   BIGINT NOT NULL,           -- who asks; 0: nobody
    process BIGINT NOT NULL,           -- where: a hand, or a program that runs the crawl itself
    free    BIGINT NOT NULL,           -- from when on it may be asked
    since   BIGINT NOT NULL,           -- when that was said
    delay   BIGINT NOT NULL            -- how long it rests where its asker dies, in milliseconds
);

-- What hosts were asked for, by days (UTC).
CREATE TABLE spent (
    host     BIGINT NOT NULL,
    day      BIGINT NOT NULL,          -- since 1970
    requests BIGINT NOT NULL,
    bytes    BIGINT NOT NULL,
    PRIMARY KEY (host, day)
);

-- Has others do what hands had to do. The hosts that they may have been asking rest from a time on.
CREATE FUNCTION release_requests(gone BIGINT[], from_time BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM task WHERE hand = ANY (gone) AND answer IS NULL ORDER BY number FOR UPDATE;
    UPDATE task SET hand = NULL WHERE hand = ANY (gone) AND answer IS NULL;
    PERFORM 1 FROM rest WHERE process = ANY (gone) AND crawl <> 0 ORDER BY host FOR UPDATE;
    UPDATE rest SET crawl = 0, since = clock_ms(),
        free = greatest(clock_ms(), coalesce(from_time, since + 36000)) + delay
    WHERE process = ANY (gone) AND crawl <> 0;
    PERFORM pg_notify('linkscent_tasks', '');
END $$;

-- Takes what hands have that said nothing for six seconds. One whose connection has ended has given up its
-- requests by then, too, and their hosts rest from now on. One that is still connected may have been
-- stopped, with its requests open: a request takes 34 seconds at most, and its host rests from their end.
CREATE FUNCTION expire_hands() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    silent BIGINT;
BEGIN
    FOR silent IN
        SELECT id FROM hand WHERE seen < clock_ms() - 6000 ORDER BY id FOR UPDATE SKIP LOCKED
    LOOP
        DELETE FROM hand WHERE id = silent;
        PERFORM release_requests(ARRAY[silent], CASE WHEN pg_try_advisory_xact_lock(silent) THEN clock_ms() END);
    END LOOP;
END $$;

-- A hand begins, on a connection that it has for as long as it lives.
CREATE FUNCTION hand_joins(hand_id BIGINT, called TEXT) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM pg_advisory_lock(hand_id);
    INSERT INTO hand (id, name, since, seen)
    VALUES (hand_id, left(called, 100), clock_ms(), clock_ms());
    PERFORM forget_hosts();
END $$;

CREATE FUNCTION forget_hosts() RETURNS void LANGUAGE sql AS $$
    DELETE FROM rest WHERE free < clock_ms() - 86400000;
    DELETE FROM spent WHERE day < clock_ms() / 86400000;
$$;

-- A hand says that it is there, and what keeps it from its work, if anything does. False: it was given up.
CREATE FUNCTION hand_lives(hand_id BIGINT, trouble TEXT) RETURNS BOOLEAN LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM expire_hands();
    UPDATE hand SET seen = clock_ms(), problem = left(trouble, 500) WHERE id = hand_id;
    RETURN FOUND;
END $$;

-- A hand ends; it has given up all its requests.
CREATE FUNCTION hand_leaves(hand_id BIGINT) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    DELETE FROM hand WHERE id = hand_id;
    IF FOUND THEN
        PERFORM release_requests(ARRAY[hand_id], clock_ms());
    END IF;
END $$;

-- Gives a hand what is to be done, the oldest first, a few at a time. What else it was given and does not
-- know of, or has had for five minutes, others do.
CREATE FUNCTION hand_takes(hand_id BIGINT, has BIGINT[], most INT)
RETURNS TABLE (number BIGINT, crawl BIGINT, lease BIGINT, asked BYTEA) LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM expire_hands();
    -- Nobody may give it up before it has them.
    PERFORM 1 FROM hand WHERE id = hand_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE task SET hand = NULL WHERE task.number IN (
        SELECT lost.number FROM task AS lost
        WHERE lost.hand = hand_id AND lost.answer IS NULL
        AND (lost.lease <> ALL (has) OR lost.since < clock_ms() - 300000)
        ORDER BY lost.number FOR UPDATE
    );
    RETURN QUERY UPDATE task
    SET hand = hand_id, since = clock_ms(), lease = 1 + floor(random() * 9e15)::bigint
    WHERE task.number IN (
        SELECT waiting.number FROM task AS waiting
        WHERE waiting.hand IS NULL AND waiting.answer IS NULL ORDER BY waiting.number
        LIMIT greatest(0, least(most, 100 - (
            SELECT count(*) FROM task AS held WHERE held.hand = hand_id AND held.answer IS NULL)))
        FOR UPDATE SKIP LOCKED
    )
    RETURNING task.number, task.crawl, task.lease, task.asked;
END $$;

-- Takes answers of a hand in: each once, and only while it is the hand's to answer. Which were taken.
CREATE FUNCTION hand_answers(hand_id BIGINT, leases BIGINT[], answers_given BYTEA[])
RETURNS BIGINT[] LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    taken BIGINT[];
    crawls BIGINT[];
    size BIGINT;
BEGIN
    PERFORM 1 FROM hand WHERE id = hand_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN ARRAY[]::bigint[];
    END IF;
    PERFORM 1 FROM task WHERE hand = hand_id AND answer IS NULL AND lease = ANY (leases)
    ORDER BY number FOR UPDATE;
    WITH given AS (
        SELECT * FROM unnest(leases, answers_given) AS given (lease, answer)
    ), accepted AS (
        UPDATE task SET answer = given.answer FROM given
        WHERE task.lease = given.lease AND task.hand = hand_id AND task.answer IS NULL
        AND octet_length(given.answer) BETWEEN 1 AND 64000000
        RETURNING task.lease, task.crawl, octet_length(given.answer) AS bytes
    )
    SELECT coalesce(array_agg(accepted.lease), ARRAY[]::bigint[]), array_agg(DISTINCT accepted.crawl),
        coalesce(sum(accepted.bytes), 0) INTO taken, crawls, size FROM accepted;
    UPDATE hand SET answers = hand.answers + cardinality(taken), bytes = hand.bytes + size,
        refused = hand.refused + cardinality(leases) - cardinality(taken)
    WHERE id = hand_id;
    PERFORM pg_notify('linkscent_answered', answered::text) FROM unnest(crawls) AS answered;
    RETURN taken;
END $$;

-- Takes the turn of a host, and of its server, which the second of the keys is if there are two, if they
-- are free and the day's budget allows it. What came of it: `ours`, `taken`, `rests` or `spent`, and after
-- how many milliseconds to come again.
CREATE FUNCTION turn_take(keys BIGINT[], for_crawl BIGINT, by_process BIGINT, longest BIGINT, rests BIGINT,
    most_requests BIGINT, most_bytes BIGINT, OUT what TEXT, OUT again BIGINT) LANGUAGE plpgsql AS $$
DECLARE
    now_is BIGINT := clock_ms();
    today BIGINT := clock_ms() / 86400000;
    busy RECORD;
BEGIN
    -- One after the other, in an order in which nobody waits for whoever waits for them.
    INSERT INTO rest (host, crawl, process, free, since, delay)
    SELECT key, 0, 0, now_is, now_is, 0 FROM unnest(keys) AS key ORDER BY key ON CONFLICT DO NOTHING;
    PERFORM 1 FROM rest WHERE host = ANY (keys) ORDER BY host FOR UPDATE;
    now_is := clock_ms();
    IF EXISTS (SELECT 1 FROM spent WHERE host = keys[1] AND day = today
               AND (requests >= most_requests OR bytes >= most_bytes)) THEN
        what := 'spent';
        again := (today + 1) * 86400000 - now_is;
        RETURN;
    END IF;
    -- A clock that was set back keeps no host shut for as long: it rests as it was to, from now on.
    UPDATE rest SET free = now_is + (free - since), since = now_is
    WHERE host = ANY (keys) AND since > now_is + 15000;
    -- Where nobody gave a turn back, its host rests behind it.
    SELECT max(free + CASE WHEN crawl <> 0 THEN delay ELSE 0 END) - now_is AS wait,
        bool_or(crawl <> 0) AS is_asked INTO busy
    FROM rest WHERE host = ANY (keys)
    AND free + CASE WHEN crawl <> 0 THEN delay ELSE 0 END > now_is;
    IF busy.wait IS NOT NULL THEN
        what := CASE WHEN busy.is_asked THEN 'taken' ELSE 'rests' END;
        again := busy.wait;
        RETURN;
    END IF;
    UPDATE rest SET crawl = for_crawl, process = by_process, free = now_is + longest, since = now_is,
        delay = CASE WHEN host = keys[1] THEN rests ELSE 0 END
    WHERE host = ANY (keys);
    IF most_requests IS NOT NULL OR most_bytes IS NOT NULL THEN
        PERFORM turn_spends(keys[1], 1, 0);
    END IF;
    what := 'ours';
    again := 0;
END $$;

CREATE FUNCTION turn_spends(of_host BIGINT, more_requests BIGINT, more_bytes BIGINT) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO spent (host, day, requests, bytes)
    VALUES (of_host, clock_ms() / 86400000, more_requests, more_bytes)
    ON CONFLICT (host, day) DO UPDATE SET requests = spent.requests + more_requests,
        bytes = least(spent.bytes + more_bytes, 1000000000000000)
$$;

-- Gives the turn of a host back: it rests so long; its server does not. So many bytes count for its day.
CREATE FUNCTION turn_give_back(keys BIGINT[], for_crawl BIGINT, by_process BIGINT, rests BIGINT,
    came BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM rest WHERE host = ANY (keys) ORDER BY host FOR UPDATE;
    UPDATE rest SET crawl = 0, since = clock_ms(),
        free = clock_ms() + CASE WHEN host = keys[1] THEN rests ELSE 0 END
    WHERE host = ANY (keys) AND crawl = for_crawl AND process = by_process;
    IF FOUND AND came > 0 THEN
        PERFORM turn_spends(keys[1], 0, came);
    END IF;
END $$;

-- The same for a request that a hand makes; `gone` for one that was given up.
CREATE FUNCTION hand_takes_turn(keys BIGINT[], for_crawl BIGINT, hand_id BIGINT, rests BIGINT,
    most_requests BIGINT, most_bytes BIGINT, OUT what TEXT, OUT again BIGINT) LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM 1 FROM hand WHERE id = hand_id FOR KEY SHARE;
    IF NOT FOUND OR for_crawl < 1 OR cardinality(keys) NOT BETWEEN 1 AND 2 THEN
        what := 'gone';
        again := 0;
        RETURN;
    END IF;
    SELECT taken.what, taken.again INTO what, again
    FROM turn_take(keys, for_crawl, hand_id, 60000, greatest(0, least(rests, 3600000)),
        most_requests, most_bytes) AS taken;
END $$;

CREATE FUNCTION hand_gives_turn_back(keys BIGINT[], for_crawl BIGINT, hand_id BIGINT, rests BIGINT,
    came BIGINT) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM turn_give_back(keys, for_crawl, hand_id, greatest(0, least(rests, 3600000)),
        greatest(0, least(came, 1000000000)));
END $$;

-- Whoever is not told that they may, may not; and what a function names is what is meant here, whatever
-- its caller has made.
DO $$
DECLARE
    own TEXT;
BEGIN
    FOR own IN
        SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
        AND proname IN ('clock_ms', 'release_requests', 'expire_hands', 'forget_hosts', 'hand_joins', 'hand_lives',
            'hand_leaves', 'hand_takes', 'hand_answers', 'turn_take', 'turn_spends', 'turn_give_back',
            'hand_takes_turn', 'hand_gives_turn_back')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', own);
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', own,
            current_schema());
    END LOOP;
END $$;
