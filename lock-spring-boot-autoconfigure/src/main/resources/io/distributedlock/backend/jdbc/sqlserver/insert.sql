-- Takes a lock that has no row. No MERGE, which lets two sessions insert at once. The condition avoids errors of
-- attempts on a lock that is taken. It has no effect if two sessions insert at once.
-- In: key, owner, instance, ttl (ms), span, tick (null for none).
-- Out: token (the last of the range); no row, or a duplicate key, if another client was first.
INSERT INTO @@table@@ (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
OUTPUT inserted.token
SELECT :key, :owner, :instance, @@micros@@ + :span - 1, @@now@@, @@after(:ttl)@@, :tick, @@format@@
WHERE NOT EXISTS (SELECT 1 FROM @@table@@ WHERE lock_key = :key)
