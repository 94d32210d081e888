-- Ends a lease, and lets its cooldown begin, which nobody owns.
-- In: key, owner, token (the last of the range), ends (when the lock may be had again, in ms from now on).
-- Out: wanted (ms until a waiter asks again, null for none); no row where the lease no longer stands.
SELECT @@wanted@@ AS wanted
FROM FINAL TABLE (
	UPDATE @@table@@
	SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
	WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
)
