-- Reads the holders of all locks whose rows this version knows.
-- In: no parameters.
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms), form (1).
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest, @@form@@ AS form
FROM @@table@@
WHERE owner IS NOT NULL AND expires_at > @@now@@ AND @@ours@@
