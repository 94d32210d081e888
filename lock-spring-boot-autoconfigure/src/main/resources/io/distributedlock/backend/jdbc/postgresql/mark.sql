-- Leaves the mark of a waiter on a lock that is taken.
-- In: key, mark (how long it stays, in ms).
-- Out: owner, rest (ms), age (ms), tick; no row if the lock is free.
UPDATE @@table@@
SET waiting_until = GREATEST(waiting_until, @@after(:mark)@@)
WHERE lock_key = :key AND expires_at > @@now@@ AND @@ours@@
RETURNING owner, @@rest@@ AS rest, @@age@@ AS age, tick
