-- Reads the owners of several locks, for how long they are still taken, and the last ticks that have run.
-- In: keys.
-- Out: for each key that was ever locked: lock_key, owner, token, rest (ms, not positive if the lock is free), age (ms),
-- tick, form (1 if this version knows the row).
SELECT lock_key, owner, token, @@rest@@ AS rest, @@age@@ AS age, tick, @@form@@ AS form
FROM @@table@@
WHERE lock_key = ANY(CAST(:keys AS TEXT[]))
