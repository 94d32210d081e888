-- Takes a free lock whose row exists. A block, so that the token is returned without special methods of the driver.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller).
-- Out: granted, the token (the last of the range); null if the lock can't be taken.
BEGIN
	UPDATE @@table@@
	SET owner = :owner, instance = :instance, token = GREATEST(token + 1, @@micros@@) + :span - 1,
		acquired_at = @@now@@, expires_at = @@after(:ttl)@@, waiting_until = NULL, shared_until = NULL,
		tick = COALESCE(:tick, tick)
	WHERE lock_key = :key AND @@free@@ AND (tick IS NULL OR tick < :before)
	RETURNING token INTO :granted;
END;
