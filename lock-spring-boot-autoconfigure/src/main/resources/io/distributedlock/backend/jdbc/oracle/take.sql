-- Takes a lock that is free and whose row is there. A block, so that the driver needs nothing special to return the
-- token.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller).
-- Out: granted, the token (the last of the range); null where the lock can't be had.
BEGIN
	UPDATE @@table@@
	SET owner = :owner, instance = :instance, token = GREATEST(token + 1, @@micros@@) + :span - 1,
		acquired_at = @@now@@, expires_at = @@after(:ttl)@@, waiting_until = NULL, shared_until = NULL,
		tick = COALESCE(:tick, tick)
	WHERE lock_key = :key AND @@free@@ AND (tick IS NULL OR tick < :before)
	RETURNING token INTO :granted;
END;
