-- Reads the members of keys, in the order of the keys and of their tokens. A place that a cooldown keeps has no
-- instance.
-- In: first, last (the first and the last key).
-- Out: lock_key, instance, token, age (ms since it was granted), rest (ms).
SELECT lock_key, instance, token, @@age@@ AS age, @@rest@@ AS rest
FROM @@reader_table@@
WHERE lock_key >= :first AND lock_key <= :last AND instance IS NOT NULL AND expires_at > @@now@@
ORDER BY lock_key, token
