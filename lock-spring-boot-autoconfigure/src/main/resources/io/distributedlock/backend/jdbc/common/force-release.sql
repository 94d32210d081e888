-- Takes a lock away from its holder, and begins a cooldown, which has no owner.
-- In: key, ends (when the lock becomes free, in ms from now).
-- Out: one row changed; none if the lock has no holder.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > @@now@@ AND @@ours@@
