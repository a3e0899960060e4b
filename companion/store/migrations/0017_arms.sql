-- By whose ranking a page was chosen, see `Arm::code`; unknown of what was fetched before.

ALTER TABLE fetch ADD COLUMN arm INTEGER;

-- Earlier programs look here: they leave a database alone that is newer than theirs.
PRAGMA user_version = 17;
