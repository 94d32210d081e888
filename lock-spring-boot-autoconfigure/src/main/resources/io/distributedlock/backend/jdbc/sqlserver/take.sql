-- Takes a free lock whose row exists.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller).
-- Out: token (the last of the range); no row if the lock can't be taken.
UPDATE @@table@@
SET owner = :owner, instance = :instance,
	token = CASE WHEN token + 1 > @@micros@@ THEN token + 1 ELSE @@micros@@ END + :span - 1,
	acquired_at = @@now@@, expires_at = @@after(:ttl)@@, waiting_until = NULL, shared_until = NULL,
	tick = COALESCE(:tick, tick)
OUTPUT inserted.token
WHERE lock_key = :key AND @@free@@ AND (tick IS NULL OR tick < :before)
