-- Removes all members of a key. The transaction has the lock on the key's row.
-- In: key.
-- Out: no useful result.
DELETE FROM @@reader_table@@ WHERE lock_key = :key
