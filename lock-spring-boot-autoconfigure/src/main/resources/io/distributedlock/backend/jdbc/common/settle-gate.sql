-- Lets the row of a key expire with the latest of its members. As after each release, acquired_at is the time of the last
-- one. The transaction has the lock on the row.
-- In: key, past (ms from now, when a key without members has expired).
-- Out: one row changed.
UPDATE @@table@@
SET acquired_at = CASE WHEN EXISTS (SELECT 1 FROM @@reader_table@@ reader
		WHERE reader.lock_key = :key AND reader.expires_at > @@now@@) THEN acquired_at ELSE @@now@@ END,
	expires_at = COALESCE((SELECT MAX(reader.expires_at) FROM @@reader_table@@ reader
		WHERE reader.lock_key = :key AND reader.expires_at > @@now@@), @@after(:past)@@)
WHERE lock_key = :key
