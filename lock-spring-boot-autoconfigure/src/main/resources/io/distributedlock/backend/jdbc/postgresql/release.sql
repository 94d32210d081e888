-- Ends a lease, and lets its cooldown begin, which nobody owns. Only where a waiter has left a mark, listeners are
-- notified: that takes a lock on the whole database at the commit. Keys are far shorter than what may be sent.
-- In: key, owner, token (the last of the range), ends (when the lock may be had again, in ms from now on).
-- Out: wanted (0 where somebody waits, else null); no row where the lease no longer stands.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
RETURNING CASE WHEN waiting_until > @@now@@ THEN 0 END AS wanted,
	CASE WHEN waiting_until > @@now@@ THEN pg_notify('@@channel@@', lock_key) END
