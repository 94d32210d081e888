-- Lets the row of a key expire with the latest of its members. The transaction has the lock on the row.
-- In: key, past (ms from now, when a key without members has expired).
-- Out: one row changed.
UPDATE @@table@@
SET expires_at = COALESCE((SELECT MAX(reader.expires_at) FROM @@reader_table@@ reader
	WHERE reader.lock_key = :key AND reader.expires_at > @@now@@), @@after(:past)@@)
WHERE lock_key = :key
