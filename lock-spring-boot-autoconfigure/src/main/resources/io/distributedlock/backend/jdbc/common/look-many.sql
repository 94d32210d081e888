-- Reads for how long several locks are still taken.
-- In: keys (a list, written as one parameter for each key).
-- Out: lock_key, rest (ms, not positive if the lock is free), age (ms); no row if a key was never locked.
SELECT lock_key, @@rest@@ AS rest, @@age@@ AS age
FROM @@table@@
WHERE lock_key IN (:keys)
