-- Reads when a waiter for a lock polls again.
-- In: key.
-- Out: wanted (ms, null if no waiter is known).
SELECT @@wanted@@ AS wanted
FROM @@table@@
WHERE lock_key = :key
