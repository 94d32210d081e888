-- Reads when a waiter that has closed a group polls again.
-- In: key.
-- Out: wanted (ms, null if no such waiter is known).
SELECT @@writer@@ AS wanted
FROM @@table@@
WHERE lock_key = :key
