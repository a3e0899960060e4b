-- Sites of which nothing is remembered from one topic to another.

CREATE TABLE forgotten_site (host TEXT PRIMARY KEY);
CREATE TRIGGER forgotten_site_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON forgotten_site
    FOR EACH STATEMENT EXECUTE FUNCTION say_changed();
