-- Takes a free lock whose row exists. Assignments see the new values of earlier ones. The row is chosen before all of
-- them.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller).
-- Out: token (the last of the range) as the generated key; no row changed if the lock can't be taken.
UPDATE @@table@@
SET token = LAST_INSERT_ID(GREATEST(token + 1, @@micros@@) + :span - 1), owner = :owner, instance = :instance,
	acquired_at = @@now@@, waiting_until = NULL, shared_until = NULL,
	tick = COALESCE(:tick, tick), expires_at = @@after(:ttl)@@
WHERE lock_key = :key AND @@free@@ AND (tick IS NULL OR tick < :before)
