-- Leaves the mark of a waiter on a lock that has an exclusive holder: the time at which it polls again, or at which
-- another waiter does so before. Not on a group, to which it would close the door.
-- In: key, mark (how long it stays, in ms).
-- Out: one row changed; none if the lock has no such holder.
UPDATE @@table@@
SET waiting_until = CASE WHEN waiting_until > @@now@@ AND waiting_until < @@after(:mark)@@ THEN waiting_until
		ELSE @@after(:mark)@@ END
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > @@now@@ AND @@ours@@
