-- Removes the members of a key that have expired. The transaction has the lock on the key's row.
-- In: key.
-- Out: no useful result.
DELETE FROM @@reader_table@@ WHERE lock_key = :key AND expires_at <= @@now@@
