-- Takes a lock that has no row. Not ON DUPLICATE KEY, which takes locks beside the row, and whose count does not show
-- what it did.
-- In: key, owner, instance, ttl (ms), span, tick (null for none).
-- Out: token (the last of the range) as the generated key; a duplicate key if another client was first.
INSERT INTO @@table@@ (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
VALUES (:key, :owner, :instance, LAST_INSERT_ID(@@micros@@ + :span - 1), @@now@@, @@after(:ttl)@@, :tick, @@format@@)
