-- Reads for how long some of several locks are taken yet.
-- In: keys (a list, written as one parameter for each key).
-- Out: lock_key, rest (ms, not positive where the lock is free), age (ms); no row where a key was never locked.
SELECT lock_key, @@rest@@ AS rest, @@age@@ AS age
FROM @@table@@
WHERE lock_key IN (:keys)
