-- Takes a lock away from whoever holds it.
-- In: key, ends (ms from now on, in the past).
-- Out: one row changed; none where nobody holds it.
UPDATE @@table@@
SET owner = NULL, instance = NULL, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > @@now@@
