-- Leaves the mark of a waiter on a lock that is taken: the time at which it polls again, or at which another waiter
-- does so before.
-- In: key, mark (how long it stays, in ms).
-- Out: owner, rest (ms), age (ms), tick; no row if the lock is free.
SELECT owner, @@rest@@ AS rest, @@age@@ AS age, tick
FROM FINAL TABLE (
	UPDATE @@table@@
	SET waiting_until = CASE WHEN waiting_until > @@now@@ AND waiting_until < @@after(:mark)@@ THEN waiting_until
			ELSE @@after(:mark)@@ END
	WHERE lock_key = :key AND expires_at > @@now@@ AND @@ours@@
)
