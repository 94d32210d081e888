-- Takes a lock away from whoever holds it, and notifies those who wait for it.
-- In: key, ends (ms from now on, in the past).
-- Out: one row without meaning; none where nobody holds it.
UPDATE @@table@@
SET owner = NULL, instance = NULL, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > @@now@@
RETURNING CASE WHEN waiting_until > @@now@@ THEN pg_notify('@@channel@@', lock_key) END
