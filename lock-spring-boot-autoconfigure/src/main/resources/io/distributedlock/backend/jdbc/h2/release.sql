-- Ends a lease, and begins its cooldown, which has no owner.
-- In: key, owner, token (the last of the range), ends (when the lock becomes free, in ms from now).
-- Out: wanted (ms until a waiter polls again, null for none); no row if the lease no longer stands.
SELECT @@wanted@@ AS wanted
FROM FINAL TABLE (
	UPDATE @@table@@
	SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
	WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
)
