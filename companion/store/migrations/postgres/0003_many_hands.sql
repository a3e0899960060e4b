-- Many hands: one that finds nothing to do locks and writes nothing.
CREATE OR REPLACE FUNCTION hand_takes(hand_id BIGINT, has BIGINT[], most INT)
RETURNS TABLE (number BIGINT, crawl BIGINT, lease BIGINT, asked BYTEA) LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '2s' AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM task WHERE task.hand IS NULL AND task.answer IS NULL)
    AND NOT EXISTS (
        SELECT 1 FROM task AS lost WHERE lost.hand = hand_id AND lost.answer IS NULL
        AND (lost.lease <> ALL (has) OR lost.since < clock_ms() - 300000))
    AND NOT EXISTS (SELECT 1 FROM hand WHERE seen < clock_ms() - 6000) THEN
        RETURN;
    END IF;
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

-- What is replaced loses what it was told of names.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION hand_takes SET search_path = pg_catalog, %I, pg_temp',
        current_schema());
END $$;

-- What a server that crashed has of requests and answers is asked for again, so it need not write each
-- answer twice. Numbers are never given again all the same: the sequence stays.
ALTER TABLE task ALTER COLUMN number DROP IDENTITY;
CREATE SEQUENCE task_number;
SELECT setval('task_number', coalesce((SELECT max(number) FROM task), 0) + 1);
ALTER TABLE task ALTER COLUMN number SET DEFAULT nextval('task_number');
ALTER TABLE task SET UNLOGGED;
