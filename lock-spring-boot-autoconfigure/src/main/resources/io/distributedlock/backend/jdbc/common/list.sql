-- Reads who holds which lock, of the rows that this version knows.
-- In: nothing.
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms), form (1).
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest, @@form@@ AS form
FROM @@table@@
WHERE owner IS NOT NULL AND expires_at > @@now@@ AND @@ours@@
