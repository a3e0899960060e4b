-- Copies of crawls' archives in an object store, part by part.

ALTER TABLE place ADD COLUMN copies TEXT; -- where they lie, if archives are copied

-- Objects that are copies. Those of a crawl have no gap between them.
CREATE TABLE archive_part (
    crawl     BIGINT NOT NULL,
    from_byte BIGINT NOT NULL,
    to_byte   BIGINT NOT NULL,
    object    TEXT NOT NULL UNIQUE,
    PRIMARY KEY (crawl, from_byte)
);

-- Objects that are none, or not yet: they are deleted. A row stays for a while, since what is under way to
-- the object store may come later.
CREATE TABLE archive_gone (
    object TEXT PRIMARY KEY,
    since  TIMESTAMPTZ NOT NULL DEFAULT now(),
    deleted BOOLEAN NOT NULL DEFAULT FALSE -- once; again when nothing can be under way any more
);

-- Whatever of a crawl's log is forgotten, lost or deleted: what was copied of its archive is no copy any more.
CREATE FUNCTION archive_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH gone AS (DELETE FROM archive_part WHERE crawl = NEW.crawl RETURNING object)
    INSERT INTO archive_gone (object) SELECT object FROM gone ON CONFLICT (object) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER archive_changed_first AFTER INSERT ON log_change
    FOR EACH ROW WHEN (NEW.rewritten > 0) EXECUTE FUNCTION archive_changed();
CREATE TRIGGER archive_changed AFTER UPDATE ON log_change
    FOR EACH ROW WHEN (NEW.rewritten <> OLD.rewritten) EXECUTE FUNCTION archive_changed();

-- The same where an archive was cut off behind its last page, and where a crawl is deleted whose log had no
-- line left.
CREATE FUNCTION archive_cut() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO log_change (crawl, changes, rewritten) VALUES (OLD.id, 1, 1)
    ON CONFLICT (crawl) DO UPDATE
        SET changes = log_change.changes + 1, rewritten = log_change.rewritten + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER archive_cut AFTER UPDATE OF warc_length ON crawl
    FOR EACH ROW WHEN (NEW.warc_length < OLD.warc_length) EXECUTE FUNCTION archive_cut();
CREATE TRIGGER archive_deleted AFTER DELETE ON crawl FOR EACH ROW EXECUTE FUNCTION archive_cut();
