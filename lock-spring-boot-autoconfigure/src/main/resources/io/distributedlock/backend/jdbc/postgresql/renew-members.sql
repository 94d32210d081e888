-- Extends the leases of members, and the rows of their keys. Never shortens one, and never revives a lease that has
-- expired. Raises the tokens of the rows, so that no release overlooks the new expiries.
-- The rows are locked in the order of the keys, and before the members.
-- Arrays have no type of their own if the driver puts them into the text of the statement (preferQueryMode=simple).
-- In: keys, owners, kinds, ttls (ms).
-- Out: the place in the arrays, from 1 on, of each lease that stands; wanted (0 if a waiter has closed the group, else
-- null).
WITH standing AS (
	SELECT held.lock_key, asked.owner, asked.ttl, asked.place
	FROM @@table@@ AS held
	JOIN unnest(CAST(:keys AS TEXT[]), CAST(:owners AS TEXT[]), CAST(:kinds AS TEXT[]), CAST(:ttls AS BIGINT[]))
			WITH ORDINALITY AS asked (lock_key, owner, kind, ttl, place)
		ON held.lock_key = asked.lock_key AND held.instance = asked.kind
	WHERE held.owner IS NULL AND held.expires_at > @@now@@ AND @@ours(held)@@
		AND EXISTS (SELECT 1 FROM @@reader_table@@ AS reader
			WHERE reader.lock_key = asked.lock_key AND reader.owner = asked.owner AND reader.expires_at > @@now@@)
	ORDER BY held.lock_key
	FOR UPDATE OF held
), gate AS (
	UPDATE @@table@@ AS held
	SET token = held.token + 1, expires_at = GREATEST(held.expires_at, @@after(longest.ttl)@@)
	FROM (SELECT lock_key, MAX(ttl) AS ttl FROM standing GROUP BY lock_key) AS longest
	WHERE held.lock_key = longest.lock_key
	RETURNING held.lock_key, held.expires_at, CASE WHEN held.waiting_until > @@now@@ THEN 0 END AS wanted
)
UPDATE @@reader_table@@ AS reader
SET expires_at = GREATEST(reader.expires_at, LEAST(gate.expires_at, @@after(standing.ttl)@@))
FROM standing
JOIN gate ON gate.lock_key = standing.lock_key
WHERE reader.lock_key = standing.lock_key AND reader.owner = standing.owner AND reader.expires_at > @@now@@
RETURNING standing.place, gate.wanted
