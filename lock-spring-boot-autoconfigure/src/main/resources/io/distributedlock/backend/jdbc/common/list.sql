-- Reads the holders of locks whose rows this version knows, in the order of their keys.
-- In: after (the key after which to begin).
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms), form (1).
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest, @@form@@ AS form
FROM @@table@@
WHERE lock_key > :after AND owner IS NOT NULL AND expires_at > @@now@@ AND @@ours@@
ORDER BY lock_key
