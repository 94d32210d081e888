-- Takes a lock away from its holder, begins a cooldown, which has no owner, and notifies waiters.
-- In: key, ends (when the lock becomes free, in ms from now).
-- Out: one row without meaning; none if the lock has no holder.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > @@now@@ AND @@ours@@
RETURNING CASE WHEN waiting_until > @@now@@ THEN pg_notify('@@channel@@', lock_key) END
