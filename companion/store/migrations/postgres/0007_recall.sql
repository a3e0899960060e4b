-- How well the relevant pages found are covered, where what is not found was counted; and the share
-- of all of them after which a crawl ends.

ALTER TABLE "fetch" ADD COLUMN coverage DOUBLE PRECISION;
ALTER TABLE crawl ADD COLUMN until_recall DOUBLE PRECISION;
