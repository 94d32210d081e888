-- Opens a group to new members, because a waiter that had closed it no longer waits. All waiters are notified, so that
-- members enter, and that others which wait for the end of the group close it again.
-- In: key.
-- Out: one row without meaning; none if the group was open.
UPDATE @@table@@
SET waiting_until = NULL
WHERE lock_key = :key AND owner IS NULL AND instance IS NOT NULL AND waiting_until > @@now@@ AND @@ours@@
RETURNING pg_notify('@@channel@@', lock_key)
