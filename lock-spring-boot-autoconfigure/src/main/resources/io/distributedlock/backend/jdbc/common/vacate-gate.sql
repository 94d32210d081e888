-- Begins the cooldown of a key whose group was ended. The transaction has the lock on the key's row.
-- In: key, ends (when the key becomes free, in ms from now).
-- Out: one row changed.
UPDATE @@table@@
SET instance = NULL, acquired_at = @@now@@, expires_at = @@after(:ends)@@, shared_until = NULL
WHERE lock_key = :key
