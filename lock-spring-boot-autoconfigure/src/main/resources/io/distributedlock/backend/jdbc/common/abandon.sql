-- Makes sure that an attempt holds nothing.
-- In: key, owner, ends (ms from now on, in the past).
-- Out: one row changed where it held the lock.
UPDATE @@table@@
SET owner = NULL, instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner = :owner AND @@ours@@
