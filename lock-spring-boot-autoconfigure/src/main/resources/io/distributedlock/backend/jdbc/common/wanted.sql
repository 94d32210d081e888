-- Looks when somebody who waits for a lock asks again.
-- In: key.
-- Out: wanted (ms, null where nobody is known to wait).
SELECT @@wanted@@ AS wanted
FROM @@table@@
WHERE lock_key = :key
