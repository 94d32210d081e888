-- Makes sure that an attempt holds no lock.
-- In: key, owner, ends (ms from now, in the past).
-- Out: one row changed if it held the lock.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner = :owner AND @@ours@@
