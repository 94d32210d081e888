-- Takes a lock that is free, whether its row is there or not, and leaves a waiter's mark on one that is taken:
-- when it asks again, or another one that does so before.
-- Assignments see the new values of those before them (unless sql_mode says otherwise), so the columns that the
-- conditions name come last. Then the new owner tells that the lock was free; where it does not, the old tick tells.
-- An attempt that is sent again is granted the same tokens, and until no earlier than it counts on.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller),
-- waiting (1 or 0), mark (how long it stays, in ms).
-- Out: owner (another one's where the lock can't be had), token (the last of the range), rest (ms), age (ms), tick.
INSERT INTO @@table@@ (lock_key, owner, instance, token, acquired_at, expires_at, tick)
VALUES (:key, :owner, :instance, @@micros@@ + :span - 1, @@now@@, @@after(:ttl)@@, :tick)
ON DUPLICATE KEY UPDATE
	owner = IF(expires_at <= @@now@@ AND (tick IS NULL OR tick < :before), :owner, owner),
	instance = IF(expires_at <= @@now@@ AND (tick IS NULL OR tick < :before), :instance, instance),
	token = IF(expires_at <= @@now@@ AND (tick IS NULL OR tick < :before),
		GREATEST(token + 1, @@micros@@) + :span - 1, token),
	acquired_at = IF(expires_at <= @@now@@ AND (tick IS NULL OR tick < :before), @@now@@, acquired_at),
	waiting_until = IF(expires_at <= @@now@@,
		IF(tick IS NULL OR tick < :before, NULL, waiting_until),
		IF(:waiting = 1 AND (tick IS NULL OR tick < :before),
			IF(waiting_until > @@now@@ AND waiting_until < @@after(:mark)@@, waiting_until, @@after(:mark)@@),
			waiting_until)),
	tick = IF(expires_at <= @@now@@ AND (tick IS NULL OR tick < :before), COALESCE(:tick, tick), tick),
	expires_at = IF(owner = :owner OR (expires_at <= @@now@@ AND (tick IS NULL OR tick < :before)),
		GREATEST(expires_at, @@after(:ttl)@@), expires_at)
RETURNING owner, token, @@rest@@ AS rest, @@age@@ AS age, tick
