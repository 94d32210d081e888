-- Finds members that have expired and were not removed, in the order of their keys.
-- In: after (the key after which to begin).
-- Out: lock_key, owner.
SELECT lock_key, owner
FROM @@reader_table@@
WHERE lock_key > :after AND expires_at <= @@now@@
ORDER BY lock_key
