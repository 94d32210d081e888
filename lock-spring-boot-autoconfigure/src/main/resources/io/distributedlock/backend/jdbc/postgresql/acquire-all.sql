-- Takes several locks, all or none. One request of two statements, which are one transaction.
-- The first one creates the rows that are missing. The second one locks all rows in the order of their keys, and only
-- then decides, by what they are now. A lock that is visibly taken is not waited for.
-- No two such requests wait for each other. The first statement waits only for rows that others have not committed, in
-- the order of their keys. The second one waits only for rows that it sees, which are committed, so never for a first
-- statement.
-- The tick belongs to the last key. A repeated attempt is granted the same tokens.
-- Arrays have no type of their own if the driver puts them into the text of the statement (preferQueryMode=simple).
-- In: keys, last (the last of them), owner, instance, ttl (ms), span, tick (null for none), before (the stored tick
-- must be smaller).
-- Out: place (in the array, from 1 on) and token (the last of the range) of each key; no row if a lock can't be taken.
INSERT INTO @@table@@ (lock_key, token, acquired_at, expires_at, format)
SELECT asked.lock_key, @@micros@@, @@now@@, @@after(:past)@@, @@format@@
FROM unnest(CAST(:keys AS TEXT[])) AS asked (lock_key)
WHERE NOT EXISTS (SELECT 1 FROM @@table@@ AS held WHERE held.lock_key = asked.lock_key)
ORDER BY asked.lock_key COLLATE "C"
ON CONFLICT DO NOTHING;
WITH locked AS (
	SELECT held.*
	FROM @@table@@ AS held
	WHERE held.lock_key = ANY(CAST(:keys AS TEXT[]))
		AND NOT EXISTS (SELECT 1 FROM @@table@@ AS taken
			WHERE taken.lock_key = ANY(CAST(:keys AS TEXT[])) AND taken.expires_at > @@now@@
				AND taken.owner IS DISTINCT FROM :owner)
	ORDER BY held.lock_key
	FOR UPDATE OF held
)
UPDATE @@table@@ AS held
SET owner = :owner, instance = :instance, acquired_at = @@now@@, expires_at = @@after(:ttl)@@,
	token = CASE WHEN held.owner = :owner THEN held.token ELSE GREATEST(held.token + 1, @@micros@@) + :span - 1 END,
	waiting_until = NULL, shared_until = NULL,
	tick = CASE WHEN held.lock_key = :last THEN COALESCE(:tick, held.tick) ELSE held.tick END
FROM unnest(CAST(:keys AS TEXT[])) WITH ORDINALITY AS asked (lock_key, place)
WHERE held.lock_key = asked.lock_key AND cardinality(CAST(:keys AS TEXT[])) = (SELECT COUNT(*) FROM locked
	WHERE (@@free(locked)@@ OR (locked.owner = :owner AND @@ours(locked)@@))
		AND (locked.lock_key <> :last OR locked.tick IS NULL OR locked.tick < :before OR locked.owner = :owner))
RETURNING asked.place, held.token
