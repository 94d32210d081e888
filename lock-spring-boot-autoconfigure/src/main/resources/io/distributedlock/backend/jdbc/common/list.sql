-- Reads the holders of locks, and the kinds of the groups, whose rows this version knows, in the order of their keys.
-- In: after (the key after which to begin).
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms), kind (null if it has an exclusive holder),
-- form (1).
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest, @@kind@@ AS kind, @@form@@ AS form
FROM @@table@@
WHERE lock_key > :after AND (owner IS NOT NULL OR instance IS NOT NULL) AND expires_at > @@now@@ AND @@ours@@
ORDER BY lock_key
