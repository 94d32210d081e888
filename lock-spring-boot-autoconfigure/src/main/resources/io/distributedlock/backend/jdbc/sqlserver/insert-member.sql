-- Adds a member, which expires no later than the key's row. The transaction has the lock on that row.
-- In: key, owner, instance, ttl (ms).
-- Out: one row inserted.
INSERT INTO @@reader_table@@ (lock_key, owner, instance, token, acquired_at, expires_at)
SELECT lock_key, :owner, :instance, token, @@now@@,
	CASE WHEN expires_at > @@after(:ttl)@@ THEN @@after(:ttl)@@ ELSE expires_at END
FROM @@table@@
WHERE lock_key = :key
