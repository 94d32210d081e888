-- Makes sure that an attempt holds no lock, and notifies the waiters for the lock that it held.
-- In: key, owner, ends (ms from now, in the past).
-- Out: one row without meaning if it held the lock.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner = :owner AND @@ours@@
RETURNING CASE WHEN waiting_until > @@now@@ THEN pg_notify('@@channel@@', lock_key) END
