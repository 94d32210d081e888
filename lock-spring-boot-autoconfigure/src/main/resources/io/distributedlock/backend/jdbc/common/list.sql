-- Reads who holds which lock.
-- In: nothing.
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms).
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest
FROM @@table@@
WHERE owner IS NOT NULL AND expires_at > @@now@@
