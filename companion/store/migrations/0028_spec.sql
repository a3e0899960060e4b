-- How a crawl is to go is one document, so that a new setting is no new column. A row whose hosts cannot be
-- read keeps a document that cannot be read either: without its bounds the crawl would go anywhere.

ALTER TABLE crawl ADD COLUMN spec TEXT NOT NULL DEFAULT '';
UPDATE crawl SET spec = json_object(
    'version', 1, 'budget', budget, 'delay', delay,
    'random_seed', json(printf('%u', random_seed)),
    'hosts', json(hosts), 'left_out', json(left_out), 'depth', depth,
    'documents', json(iif(documents, 'true', 'false')),
    'site_pages', site_pages, 'site_targets', site_targets,
    'until_recall', until_recall, 'on_drift', on_drift)
WHERE json_valid(hosts) AND json_valid(left_out);

ALTER TABLE crawl DROP COLUMN budget;
ALTER TABLE crawl DROP COLUMN delay;
ALTER TABLE crawl DROP COLUMN random_seed;
ALTER TABLE crawl DROP COLUMN hosts;
ALTER TABLE crawl DROP COLUMN left_out;
ALTER TABLE crawl DROP COLUMN depth;
ALTER TABLE crawl DROP COLUMN documents;
ALTER TABLE crawl DROP COLUMN site_pages;
ALTER TABLE crawl DROP COLUMN site_targets;
ALTER TABLE crawl DROP COLUMN until_recall;
ALTER TABLE crawl DROP COLUMN on_drift;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 28;
