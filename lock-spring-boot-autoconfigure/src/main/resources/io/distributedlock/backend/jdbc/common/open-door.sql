-- Opens a group to new members, because a waiter that had closed it no longer waits. Others that wait for the end of
-- the group close it again when they poll.
-- In: key.
-- Out: no useful result.
UPDATE @@table@@
SET waiting_until = NULL
WHERE lock_key = :key AND owner IS NULL AND instance IS NOT NULL AND waiting_until IS NOT NULL AND @@ours@@
