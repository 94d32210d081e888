-- Takes a free lock, whether or not its row exists. Leaves the mark of a waiter on a lock that is taken: the time at
-- which it polls again, or at which another waiter does so before.
-- Assignments see the new values of earlier ones (unless sql_mode disables this), so the columns in the conditions
-- come last. For the last one, the new owner shows that the lock was free, or the old tick if sql_mode keeps the old
-- values.
-- A repeated attempt is granted the same tokens. Its lease expires no earlier than by the first grant.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller), waiting (1
-- or 0), mark (how long it stays, in ms).
-- Out: owner (another one if the lock can't be taken), token (the last of the range), rest (ms), age (ms), tick, form
-- (1 if this version knows the row).
INSERT INTO @@table@@ (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
VALUES (:key, :owner, :instance, @@micros@@ + :span - 1, @@now@@, @@after(:ttl)@@, :tick, @@format@@)
ON DUPLICATE KEY UPDATE
	owner = IF(@@free@@ AND (tick IS NULL OR tick < :before), :owner, owner),
	instance = IF(@@free@@ AND (tick IS NULL OR tick < :before), :instance, instance),
	token = IF(@@free@@ AND (tick IS NULL OR tick < :before),
		GREATEST(token + 1, @@micros@@) + :span - 1, token),
	acquired_at = IF(@@free@@ AND (tick IS NULL OR tick < :before), @@now@@, acquired_at),
	waiting_until = IF(@@free@@,
		IF(tick IS NULL OR tick < :before, NULL, waiting_until),
		IF(:waiting = 1 AND expires_at > @@now@@ AND @@ours@@ AND (tick IS NULL OR tick < :before),
			IF(waiting_until > @@now@@ AND waiting_until < @@after(:mark)@@, waiting_until, @@after(:mark)@@),
			waiting_until)),
	shared_until = IF(@@free@@ AND (tick IS NULL OR tick < :before), NULL, shared_until),
	tick = IF(@@free@@ AND (tick IS NULL OR tick < :before), COALESCE(:tick, tick), tick),
	expires_at = IF((owner = :owner AND @@ours@@) OR (@@free@@ AND (tick IS NULL OR tick < :before)),
		GREATEST(expires_at, @@after(:ttl)@@), expires_at)
RETURNING owner, token, @@rest@@ AS rest, @@age@@ AS age, tick, @@form@@ AS form
