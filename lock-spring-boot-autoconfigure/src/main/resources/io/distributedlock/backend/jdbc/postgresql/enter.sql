-- Enters the group on a key, or begins it if the key is free.
-- Parts of a statement see the members as they were when it began, even after it has waited for the row. Each change of
-- the members raises the token of the row, so the count of permits is valid only if the token is still the same.
-- Shared leases are not counted, so for them only the row is looked at.
-- The lock on the row comes first, also before the deletion of members that have expired, or that belong to a row
-- which was lost.
-- In: key, owner, instance, kind, ttl (ms), span, permits (0 for shared leases).
-- Out: token (the last of the range); no row if the group can't be entered, or if the members have changed meanwhile.
WITH seen AS (
	SELECT token FROM @@table@@ WHERE lock_key = :key
), gate AS (
	INSERT INTO @@table@@ AS held (lock_key, instance, token, acquired_at, expires_at, format)
	VALUES (:key, :kind, @@micros@@ + :span - 1, @@now@@, @@after(:ttl)@@, @@format@@)
	ON CONFLICT (lock_key) DO UPDATE
	SET owner = NULL, instance = excluded.instance, token = GREATEST(held.token + 1, @@micros@@) + :span - 1,
		acquired_at = CASE WHEN held.expires_at > @@now@@ THEN held.acquired_at ELSE @@now@@ END,
		expires_at = GREATEST(held.expires_at, @@after(:ttl)@@), waiting_until = NULL, shared_until = NULL
	WHERE @@open(held)@@ AND (@@free(held)@@ OR (@@group(held)@@ AND (:permits = 0 OR (
		held.token = (SELECT token FROM seen) AND :permits > (SELECT COUNT(*) FROM @@reader_table@@ AS reader
			WHERE reader.lock_key = :key AND reader.expires_at > @@now@@)))))
	RETURNING token, expires_at, xmax = 0 AS created
), gone AS (
	DELETE FROM @@reader_table@@ AS reader USING gate
	WHERE reader.lock_key = :key AND (gate.created OR reader.expires_at <= @@now@@)
)
INSERT INTO @@reader_table@@ (lock_key, owner, instance, token, acquired_at, expires_at)
SELECT :key, :owner, :instance, token, @@now@@, LEAST(expires_at, @@after(:ttl)@@) FROM gate
RETURNING token
