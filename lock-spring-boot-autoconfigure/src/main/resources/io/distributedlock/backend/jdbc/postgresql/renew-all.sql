-- Extends several leases at once. Their rows are locked in the order of the keys, so that two such statements can't
-- wait for each other.
-- Arrays have no type of their own if the driver puts them into the text of the statement (preferQueryMode=simple).
-- In: keys, owners, tokens (the last of each range), ttls (ms).
-- Out: the place in the arrays, from 1 on, of each lease that stands; wanted (0 if a contender waits, else null).
WITH standing AS (
	SELECT held.lock_key, asked.ttl, asked.place
	FROM @@table@@ AS held
	JOIN unnest(CAST(:keys AS TEXT[]), CAST(:owners AS TEXT[]), CAST(:tokens AS BIGINT[]),
			CAST(:ttls AS BIGINT[])) WITH ORDINALITY AS asked (lock_key, owner, token, ttl, place)
		ON held.lock_key = asked.lock_key AND held.owner = asked.owner AND held.token = asked.token
	WHERE held.expires_at > @@now@@ AND @@ours(held)@@
	ORDER BY held.lock_key
	FOR UPDATE OF held
)
UPDATE @@table@@ AS held
SET expires_at = GREATEST(held.expires_at, @@after(standing.ttl)@@)
FROM standing
WHERE held.lock_key = standing.lock_key
RETURNING standing.place, CASE WHEN held.waiting_until > @@now@@ THEN 0 END AS wanted
