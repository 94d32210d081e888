-- Creates the row of a key that is free.
-- In: key, ends (ms from now, in the past).
-- Out: one row inserted; a duplicate key if another client was first.
INSERT INTO @@table@@ (lock_key, token, acquired_at, expires_at, format)
VALUES (:key, @@micros@@, @@now@@, @@after(:ends)@@, @@format@@)
