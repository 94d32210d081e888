-- Ends a lease, and begins its cooldown, which has no owner.
-- In: key, owner, token (the last of the range), ends (when the lock becomes free, in ms from now).
-- Out: one row changed; none if the lease no longer stands.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
