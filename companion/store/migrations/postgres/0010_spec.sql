-- How a crawl is to go is one document, so that a new setting is no new column. A row whose hosts cannot be
-- read keeps a document that cannot be read either: without its bounds the crawl would go anywhere.

CREATE FUNCTION pg_temp.is_json(said TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
    PERFORM said::json;
    RETURN TRUE;
EXCEPTION WHEN invalid_text_representation THEN
    RETURN FALSE;
END $$;

ALTER TABLE crawl ADD COLUMN spec TEXT NOT NULL DEFAULT '';
UPDATE crawl SET spec = json_build_object(
    'version', 1, 'budget', budget, 'delay', delay,
    'random_seed', CASE WHEN random_seed < 0 THEN random_seed + 18446744073709551616 ELSE random_seed END,
    'hosts', hosts::json, 'left_out', left_out::json, 'depth', depth, 'documents', documents,
    'site_pages', site_pages, 'site_targets', site_targets,
    'until_recall', until_recall, 'on_drift', on_drift)::text
WHERE pg_temp.is_json(hosts) AND pg_temp.is_json(left_out);

ALTER TABLE crawl
    DROP COLUMN budget, DROP COLUMN delay, DROP COLUMN random_seed, DROP COLUMN hosts,
    DROP COLUMN left_out, DROP COLUMN depth, DROP COLUMN documents, DROP COLUMN site_pages,
    DROP COLUMN site_targets, DROP COLUMN until_recall, DROP COLUMN on_drift;
