-- What lay in tables beside `topic` and `crawl` becomes columns of them, and a crawl's row
-- counts its fetches: screens need not read the log for that.

ALTER TABLE topic ADD COLUMN critic TEXT; -- a critic's name or a predicate, where one was chosen
UPDATE topic SET critic = (SELECT critic FROM looked_for WHERE looked_for.topic = topic.id);
DROP TABLE looked_for;

-- When a crawl leaves a site: after so many of its pages, or of its targets.
ALTER TABLE crawl ADD COLUMN site_pages INTEGER;
ALTER TABLE crawl ADD COLUMN site_targets INTEGER;
UPDATE crawl SET
    site_pages = (SELECT leaving.pages FROM leaving WHERE leaving.crawl = crawl.id),
    site_targets = (SELECT leaving.targets FROM leaving WHERE leaving.crawl = crawl.id);
DROP TABLE leaving;

-- What a crawl does when it loses its way: tell, restrict, pause.
ALTER TABLE crawl ADD COLUMN on_drift TEXT NOT NULL DEFAULT 'tell';
UPDATE crawl SET on_drift = coalesce(
    (SELECT CASE reaction WHEN 'narrow' THEN 'restrict' ELSE reaction END
     FROM on_drift WHERE on_drift.crawl = crawl.id),
    'tell');
DROP TABLE on_drift;

UPDATE alarm SET cause = 'spam' WHERE cause = 'lure';

ALTER TABLE crawl ADD COLUMN requests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE crawl ADD COLUMN pages    INTEGER NOT NULL DEFAULT 0; -- requests that brought one
ALTER TABLE crawl ADD COLUMN scored   INTEGER NOT NULL DEFAULT 0; -- of them not marked before
ALTER TABLE crawl ADD COLUMN relevant INTEGER NOT NULL DEFAULT 0; -- of these
UPDATE crawl SET (requests, pages, scored, relevant) = (
    SELECT count(*), count(relevance), coalesce(sum(scored), 0),
           coalesce(sum(is_target AND scored), 0)
    FROM fetch WHERE fetch.crawl = crawl.id);

CREATE TRIGGER fetch_added AFTER INSERT ON fetch BEGIN
    UPDATE crawl SET requests = requests + 1,
        pages = pages + (NEW.relevance IS NOT NULL),
        scored = scored + NEW.scored,
        relevant = relevant + (NEW.is_target AND NEW.scored)
    WHERE id = NEW.crawl;
END;

CREATE TRIGGER fetch_removed AFTER DELETE ON fetch BEGIN
    UPDATE crawl SET requests = requests - 1,
        pages = pages - (OLD.relevance IS NOT NULL),
        scored = scored - OLD.scored,
        relevant = relevant - (OLD.is_target AND OLD.scored)
    WHERE id = OLD.crawl;
END;

CREATE TRIGGER fetch_changed AFTER UPDATE OF relevance, is_target, scored ON fetch BEGIN
    UPDATE crawl SET
        pages = pages + (NEW.relevance IS NOT NULL) - (OLD.relevance IS NOT NULL),
        scored = scored + NEW.scored - OLD.scored,
        relevant = relevant + (NEW.is_target AND NEW.scored) - (OLD.is_target AND OLD.scored)
    WHERE id = NEW.crawl;
END;

-- Earlier programs look here: they leave a database alone that is newer than 1.
PRAGMA user_version = 2;
