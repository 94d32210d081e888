-- Counts the members of a key, and the places that cooldowns keep. The transaction has the lock on the key's row.
-- In: key.
-- Out: places.
SELECT COUNT(*) AS places FROM @@reader_table@@ WHERE lock_key = :key AND expires_at > @@now@@
