-- Reads the holder of a lock.
-- In: key.
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms), form (1 if this version knows the row); no
-- row if the lock has no holder.
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest, @@form@@ AS form
FROM @@table@@
WHERE lock_key = :key AND ((owner IS NOT NULL AND expires_at > @@now@@) OR @@form@@ <> 1)
