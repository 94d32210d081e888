-- Ends a lease, and begins its cooldown, which has no owner. Listeners are notified only if a waiter has left a mark,
-- because a notification takes a lock on the whole database at the commit. Keys are far shorter than the longest
-- payload.
-- In: key, owner, token (the last of the range), ends (when the lock becomes free, in ms from now).
-- Out: wanted (0 if a contender waits, else null); no row if the lease no longer stands.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
RETURNING CASE WHEN waiting_until > @@now@@ THEN 0 END AS wanted,
	CASE WHEN waiting_until > @@now@@ THEN pg_notify('@@channel@@', lock_key) END
