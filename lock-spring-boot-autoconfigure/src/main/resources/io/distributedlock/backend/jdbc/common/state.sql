-- Reads for how long a lock is taken yet, and the last tick that has run.
-- In: key.
-- Out: rest (ms, not positive where the lock is free), tick; no row where the key was never locked.
SELECT @@rest@@ AS rest, tick
FROM @@table@@
WHERE lock_key = :key
