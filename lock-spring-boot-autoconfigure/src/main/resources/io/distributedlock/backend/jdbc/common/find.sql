-- Reads the holder of a lock, or the kind of the group on its key.
-- In: key.
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms), kind (null if it has an exclusive holder),
-- form (1 if this version knows the row); no row if the lock has neither.
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest, @@kind@@ AS kind, @@form@@ AS form
FROM @@table@@
WHERE lock_key = :key AND (((owner IS NOT NULL OR instance IS NOT NULL) AND expires_at > @@now@@) OR @@form@@ <> 1)
