-- Leaves the mark of a waiter on those of several locks that are taken. Their rows are locked in the order of the keys.
-- In: keys, mark (how long it stays, in ms).
-- Out: for each lock that is taken: lock_key, owner, rest (ms), age (ms), tick.
WITH taken AS (
	SELECT lock_key AS taken_key
	FROM @@table@@
	WHERE lock_key = ANY(CAST(:keys AS TEXT[])) AND expires_at > @@now@@ AND @@ours@@
	ORDER BY lock_key
	FOR UPDATE
)
UPDATE @@table@@
SET waiting_until = GREATEST(waiting_until, @@after(:mark)@@)
FROM taken
WHERE lock_key = taken_key AND expires_at > @@now@@
RETURNING lock_key, owner, @@rest@@ AS rest, @@age@@ AS age, tick
