-- Workers prove who they are by a secret. A worker's number is public; its secret is known to the worker alone,
-- and the database keeps a digest. Locks that programs rely on can no longer be taken by other roles:
-- anybody may take any advisory lock and read all of them in pg_locks.

-- Serializes the transactions that number events and crawls. It has no rows: only locks on it matter.
CREATE TABLE writing ();

-- Locks that last as long as a connection. A lock is held while that session of that role holds the advisory
-- lock `key`, which is drawn each time. Another session that takes the same key changes nothing.
CREATE TABLE held_lock (
    name TEXT PRIMARY KEY,
    pid  INT NOT NULL,
    role OID NOT NULL,
    key  BIGINT NOT NULL
);

-- The role that signed in. Inside a function it may act as another.
CREATE FUNCTION session_role() RETURNS OID LANGUAGE sql STABLE AS $$
    SELECT oid FROM pg_roles WHERE rolname = session_user
$$;

-- Takes an advisory lock with a random key for this session, and returns the key.
CREATE FUNCTION hold_random_key() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    key BIGINT := ('x' || left(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint;
BEGIN
    PERFORM pg_advisory_lock(key);
    RETURN key;
END $$;

-- Whether a session of a role holds an advisory lock.
CREATE FUNCTION holds_key(of_pid INT, of_role OID, of_key BIGINT) RETURNS BOOLEAN LANGUAGE sql AS $$
    SELECT EXISTS (
        SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND pid = of_pid AND usesysid = of_role
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) | objid::bigint = of_key)
$$;

-- Takes a lock for as long as this connection lives; false if another session holds it.
CREATE FUNCTION take_lock(called TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    held RECORD;
BEGIN
    INSERT INTO held_lock (name, pid, role, key) VALUES (called, 0, 0, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO held FROM held_lock WHERE name = called FOR UPDATE;
    IF holds_key(held.pid, held.role, held.key) THEN
        RETURN FALSE;
    END IF;
    UPDATE held_lock SET pid = pg_backend_pid(), role = session_role(), key = hold_random_key()
    WHERE name = called;
    RETURN TRUE;
END $$;

-- Open requests go back to the queue, and the hosts of the workers of before rest.
DO $$ BEGIN PERFORM release_requests((SELECT array_agg(id) FROM hand), NULL); END $$;
ALTER TABLE task RENAME COLUMN hand TO worker;
ALTER INDEX task_of_hand RENAME TO task_of_worker;

CREATE TABLE worker (
    number   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest   BYTEA NOT NULL UNIQUE,     -- SHA-256 of its secret
    role     OID NOT NULL,              -- the role it signed in as: no other role acts for it
    pid      INT NOT NULL,              -- its session: holds the advisory lock `key` while it is connected
    key      BIGINT NOT NULL,
    name     TEXT COLLATE "C" NOT NULL, -- chosen by the worker
    since    BIGINT NOT NULL,
    seen     BIGINT NOT NULL,           -- last heartbeat
    listens  BOOLEAN NOT NULL DEFAULT FALSE, -- whether it hears of new requests
    answers  BIGINT NOT NULL DEFAULT 0, -- accepted
    refused  BIGINT NOT NULL DEFAULT 0, -- late, repeated, too large, or to a request it was not given
    bytes    BIGINT NOT NULL DEFAULT 0, -- of accepted answers
    problem  TEXT NOT NULL DEFAULT ''   -- why it makes no requests now
);

-- The number of the worker with this secret, if this session's role is the worker's.
CREATE FUNCTION worker_of(secret BYTEA) RETURNS BIGINT LANGUAGE sql STABLE AS $$
    SELECT number FROM worker WHERE digest = sha256(secret) AND role = session_role()
$$;

-- Puts open requests of workers back into the queue. Hosts that they may be asking rest from `from_time` on.
-- Fails at once if another transaction has locked any of the rows.
CREATE OR REPLACE FUNCTION release_requests(gone BIGINT[], from_time BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM task WHERE worker = ANY (gone) AND answer IS NULL ORDER BY number FOR UPDATE NOWAIT;
    UPDATE task SET worker = NULL WHERE worker = ANY (gone) AND answer IS NULL;
    PERFORM 1 FROM rest WHERE process = ANY (gone) AND crawl <> 0 ORDER BY host FOR UPDATE NOWAIT;
    UPDATE rest SET crawl = 0, since = clock_ms(),
        free = greatest(clock_ms(), coalesce(from_time, since + 36000)) + delay
    WHERE process = ANY (gone) AND crawl <> 0;
    PERFORM pg_notify('linkscent_tasks', '');
END $$;

-- Gives up workers without a heartbeat for six seconds. If a worker is still connected, it may have been
-- stopped amid requests: a request takes 34 seconds at most, and its host rests from their end. One whose rows
-- are locked is given up later.
CREATE FUNCTION expire_workers() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    silent RECORD;
BEGIN
    FOR silent IN
        SELECT number, pid, role, key FROM worker WHERE seen < clock_ms() - 6000
        ORDER BY number FOR UPDATE SKIP LOCKED
    LOOP
        BEGIN
            PERFORM release_requests(ARRAY[silent.number],
                CASE WHEN NOT holds_key(silent.pid, silent.role, silent.key) THEN clock_ms() END);
            DELETE FROM worker WHERE number = silent.number;
        EXCEPTION WHEN lock_not_available THEN
            NULL;
        END;
    END LOOP;
END $$;

-- Forgets hosts after a day. Rows that others have locked are for the next time.
CREATE OR REPLACE FUNCTION forget_hosts() RETURNS void LANGUAGE sql AS $$
    DELETE FROM rest WHERE host IN (
        SELECT host FROM rest WHERE free < clock_ms() - 86400000 FOR UPDATE SKIP LOCKED);
    DELETE FROM spent WHERE (host, day) IN (
        SELECT host, day FROM spent WHERE day < clock_ms() / 86400000 FOR UPDATE SKIP LOCKED);
$$;

-- A worker begins, on a connection that it keeps while it lives. A connection is one worker at most. Returns
-- the worker's number.
CREATE FUNCTION worker_joins(secret BYTEA, called TEXT) RETURNS BIGINT LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    own BIGINT;
BEGIN
    IF octet_length(secret) IS DISTINCT FROM 32 THEN
        RAISE EXCEPTION 'a worker''s secret has 32 bytes' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- Another worker of this connection has ended.
    PERFORM pg_advisory_unlock(key) FROM worker WHERE pid = pg_backend_pid() AND role = session_role();
    UPDATE worker SET seen = 0 WHERE pid = pg_backend_pid() AND role = session_role();
    INSERT INTO worker (digest, role, pid, key, name, since, seen)
    VALUES (sha256(secret), session_role(), pg_backend_pid(), hold_random_key(),
        left(called, 100), clock_ms(), clock_ms())
    RETURNING number INTO own;
    PERFORM forget_hosts();
    RETURN own;
END $$;

-- A heartbeat, with what keeps the worker from its work. False if the worker was given up.
CREATE FUNCTION worker_lives(secret BYTEA, trouble TEXT) RETURNS BOOLEAN LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM expire_workers();
    UPDATE worker SET seen = clock_ms(), problem = left(trouble, 500) WHERE number = worker_of(secret);
    RETURN FOUND;
END $$;

-- A worker ends, and has stopped all its requests.
CREATE FUNCTION worker_leaves(secret BYTEA) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    own BIGINT := worker_of(secret);
BEGIN
    IF own IS NULL THEN
        RETURN;
    END IF;
    PERFORM release_requests(ARRAY[own], clock_ms());
    DELETE FROM worker WHERE number = own;
EXCEPTION WHEN lock_not_available THEN
    UPDATE worker SET seen = 0 WHERE number = own;
END $$;

-- Whether the worker may listen for new requests: eight at a time do, as each notification wakes all of them.
CREATE FUNCTION worker_listens(secret BYTEA) RETURNS BOOLEAN LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    own BIGINT := worker_of(secret);
BEGIN
    UPDATE worker SET listens = TRUE WHERE number = own AND (
        SELECT count(*) FROM worker AS other
        WHERE other.listens AND other.number <> own AND other.seen >= clock_ms() - 6000) < 8;
    RETURN FOUND;
END $$;

-- Gives a worker requests, the oldest first. Requests that it was given and does not know of, or has had for
-- five minutes, go back to the queue.
CREATE FUNCTION worker_takes(secret BYTEA, has BIGINT[], most INT)
RETURNS TABLE (number BIGINT, crawl BIGINT, lease BIGINT, asked BYTEA) LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    own BIGINT := worker_of(secret);
BEGIN
    -- A worker that finds nothing locks and writes nothing.
    IF own IS NULL
    OR NOT EXISTS (SELECT 1 FROM task WHERE task.worker IS NULL AND task.answer IS NULL)
    AND NOT EXISTS (
        SELECT 1 FROM task AS lost WHERE lost.worker = own AND lost.answer IS NULL
        AND (lost.lease <> ALL (has) OR lost.since < clock_ms() - 300000))
    AND NOT EXISTS (SELECT 1 FROM worker WHERE seen < clock_ms() - 6000) THEN
        RETURN;
    END IF;
    PERFORM expire_workers();
    -- Nobody may give the worker up before it has them.
    PERFORM 1 FROM worker WHERE worker.number = own FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE task SET worker = NULL WHERE task.number IN (
        SELECT lost.number FROM task AS lost
        WHERE lost.worker = own AND lost.answer IS NULL
        AND (lost.lease <> ALL (has) OR lost.since < clock_ms() - 300000)
        ORDER BY lost.number FOR UPDATE SKIP LOCKED
    );
    RETURN QUERY UPDATE task
    SET worker = own, since = clock_ms(), lease = 1 + floor(random() * 9e15)::bigint
    WHERE task.number IN (
        SELECT waiting.number FROM task AS waiting
        WHERE waiting.worker IS NULL AND waiting.answer IS NULL ORDER BY waiting.number
        LIMIT greatest(0, least(most, 100 - (
            SELECT count(*) FROM task AS held WHERE held.worker = own AND held.answer IS NULL)))
        FOR UPDATE SKIP LOCKED
    )
    RETURNING task.number, task.crawl, task.lease, task.asked;
END $$;

-- Accepts answers of a worker: each once, of 64 MB at most, and only to requests that it has now. Returns the
-- leases of those accepted.
CREATE FUNCTION worker_answers(secret BYTEA, leases BIGINT[], answers_given BYTEA[])
RETURNS BIGINT[] LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    own BIGINT := worker_of(secret);
    taken BIGINT[];
    crawls BIGINT[];
    size BIGINT;
BEGIN
    PERFORM 1 FROM worker WHERE number = own FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN ARRAY[]::bigint[];
    END IF;
    PERFORM 1 FROM task WHERE worker = own AND answer IS NULL AND lease = ANY (leases)
    ORDER BY number FOR UPDATE;
    WITH given AS (
        SELECT * FROM unnest(leases, answers_given) AS given (lease, answer)
    ), accepted AS (
        UPDATE task SET answer = given.answer FROM given
        WHERE task.lease = given.lease AND task.worker = own AND task.answer IS NULL
        AND octet_length(given.answer) BETWEEN 1 AND 64000000
        RETURNING task.lease, task.crawl, octet_length(given.answer) AS bytes
    )
    SELECT coalesce(array_agg(accepted.lease), ARRAY[]::bigint[]), array_agg(DISTINCT accepted.crawl),
        coalesce(sum(accepted.bytes), 0) INTO taken, crawls, size FROM accepted;
    UPDATE worker SET answers = worker.answers + cardinality(taken), bytes = worker.bytes + size,
        refused = worker.refused + cardinality(leases) - cardinality(taken)
    WHERE number = own;
    PERFORM pg_notify('linkscent_answered', answered::text) FROM unnest(crawls) AS answered;
    RETURN taken;
END $$;

-- Takes the turn of a host, and of its server, which the second of the keys is if there are two, if they are free
-- and the day's budget allows it. The result is `ours`, `taken`, `rests` or `spent`, and after how many
-- milliseconds to come again. A host whose row is locked for long counts as taken.
CREATE OR REPLACE FUNCTION turn_take(keys BIGINT[], for_crawl BIGINT, by_process BIGINT, longest BIGINT, rests BIGINT,
    most_requests BIGINT, most_bytes BIGINT, OUT what TEXT, OUT again BIGINT) LANGUAGE plpgsql
SET lock_timeout = '200ms' AS $$
DECLARE
    now_is BIGINT := clock_ms();
    today BIGINT := clock_ms() / 86400000;
    busy RECORD;
BEGIN
    BEGIN
        -- Always in the same order, so that no two transactions wait for each other.
        INSERT INTO rest (host, crawl, process, free, since, delay)
        SELECT key, 0, 0, now_is, now_is, 0 FROM unnest(keys) AS key ORDER BY key ON CONFLICT DO NOTHING;
        PERFORM 1 FROM rest WHERE host = ANY (keys) ORDER BY host FOR UPDATE;
    EXCEPTION WHEN lock_not_available THEN
        what := 'taken';
        again := 500;
        RETURN;
    END;
    now_is := clock_ms();
    IF EXISTS (SELECT 1 FROM spent WHERE host = keys[1] AND day = today
               AND (requests >= most_requests OR bytes >= most_bytes)) THEN
        what := 'spent';
        again := (today + 1) * 86400000 - now_is;
        RETURN;
    END IF;
    -- A clock that was set back does not extend a rest: it lasts as long as planned, from now on.
    UPDATE rest SET free = now_is + (free - since), since = now_is
    WHERE host = ANY (keys) AND since > now_is + 15000;
    -- If nobody gave a turn back, its host rests afterwards.
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

-- Gives the turn of a host back: it rests so long; its server does not. So many bytes count for its day. If its row
-- is locked for long, the turn ends by itself after a minute.
CREATE OR REPLACE FUNCTION turn_give_back(keys BIGINT[], for_crawl BIGINT, by_process BIGINT, rests BIGINT,
    came BIGINT) RETURNS void LANGUAGE plpgsql SET lock_timeout = '2s' AS $$
BEGIN
    PERFORM 1 FROM rest WHERE host = ANY (keys) ORDER BY host FOR UPDATE;
    UPDATE rest SET crawl = 0, since = clock_ms(),
        free = clock_ms() + CASE WHEN host = keys[1] THEN rests ELSE 0 END
    WHERE host = ANY (keys) AND crawl = for_crawl AND process = by_process;
    IF FOUND AND came > 0 THEN
        PERFORM turn_spends(keys[1], 0, came);
    END IF;
EXCEPTION WHEN lock_not_available THEN
    NULL;
END $$;

-- Takes a turn for a request that a worker makes, for a crawl that it has a request of; `gone` if the worker was
-- given up. A worker has at most 200 turns at a time: two for each request that it can have.
CREATE FUNCTION worker_takes_turn(secret BYTEA, keys BIGINT[], for_crawl BIGINT, rests BIGINT,
    most_requests BIGINT, most_bytes BIGINT, OUT what TEXT, OUT again BIGINT) LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    own BIGINT := worker_of(secret);
BEGIN
    PERFORM 1 FROM worker WHERE number = own FOR KEY SHARE;
    IF NOT FOUND OR cardinality(keys) NOT BETWEEN 1 AND 2
    OR NOT EXISTS (SELECT 1 FROM task WHERE worker = own AND crawl = for_crawl AND answer IS NULL)
    OR (SELECT count(*) FROM rest WHERE process = own AND crawl <> 0) >= 200 THEN
        what := 'gone';
        again := 0;
        RETURN;
    END IF;
    SELECT taken.what, taken.again INTO what, again
    FROM turn_take(keys, for_crawl, own, 60000, greatest(0, least(rests, 3600000)),
        most_requests, most_bytes) AS taken;
END $$;
CREATE INDEX rest_process ON rest (process) WHERE crawl <> 0;

CREATE FUNCTION worker_gives_turn_back(secret BYTEA, keys BIGINT[], for_crawl BIGINT, rests BIGINT,
    came BIGINT) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '2s' AS $$
DECLARE
    own BIGINT := worker_of(secret);
BEGIN
    IF own IS NOT NULL AND cardinality(keys) BETWEEN 1 AND 2 THEN
        PERFORM turn_give_back(keys, for_crawl, own, greatest(0, least(rests, 3600000)),
            greatest(0, least(came, 1000000000)));
    END IF;
END $$;

-- Nobody but its owner makes objects in this schema: a function with a closer match of parameters would be called
-- with the owner's rights. From PostgreSQL 15 on this is the default.
DO $$
BEGIN
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
EXCEPTION WHEN insufficient_privilege THEN
    NULL;
END $$;

-- Only roles with an explicit grant may call these functions: those that could be workers before, too. Names in
-- a function mean what they mean here, whatever its caller has made.
DO $$
DECLARE
    own TEXT;
    may RECORD;
BEGIN
    FOR own IN
        SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
        AND proname IN ('session_role', 'hold_random_key', 'holds_key', 'take_lock', 'worker_of', 'release_requests', 'expire_workers',
            'forget_hosts', 'turn_take', 'turn_give_back', 'worker_joins', 'worker_lives', 'worker_leaves', 'worker_listens', 'worker_takes',
            'worker_answers', 'worker_takes_turn', 'worker_gives_turn_back')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', own);
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', own,
            current_schema());
    END LOOP;
    FOR may IN
        SELECT DISTINCT pg_get_userbyid(grantee) AS role FROM pg_proc, aclexplode(proacl)
        WHERE pg_proc.oid = 'hand_takes(bigint, bigint[], int)'::regprocedure AND grantee NOT IN (0, proowner)
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION worker_joins, worker_lives, worker_leaves, worker_listens,
            worker_takes, worker_answers, worker_takes_turn, worker_gives_turn_back TO %I', may.role);
    END LOOP;
END $$;

DROP FUNCTION hand_joins, hand_lives, hand_leaves, hand_takes, hand_answers, hand_takes_turn,
    hand_gives_turn_back, expire_hands;
DROP TABLE hand;
