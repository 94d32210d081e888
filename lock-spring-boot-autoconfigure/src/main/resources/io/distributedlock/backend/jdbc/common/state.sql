-- Reads the owner of a lock, for how long it is still taken, and the last tick that has run.
-- In: key.
-- Out: owner, token, rest (ms, not positive if the lock is free), age (ms), tick, form (1 if this version knows the
-- row); no row if the key was never locked.
SELECT owner, token, @@rest@@ AS rest, @@age@@ AS age, tick, @@form@@ AS form
FROM @@table@@
WHERE lock_key = :key
