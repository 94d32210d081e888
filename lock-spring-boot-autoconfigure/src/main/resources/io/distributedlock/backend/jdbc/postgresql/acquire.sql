-- Takes a free lock, whether or not its row exists.
-- clock_timestamp(), since now() stands still from the start of a transaction on.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller).
-- Out: owner, token (the last of the range), rest and age (0, because a granted lock needs neither), tick, form; no row
-- if the lock can't be taken.
INSERT INTO @@table@@ AS held (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
VALUES (:key, :owner, :instance, @@micros@@ + :span - 1, @@now@@, @@after(:ttl)@@, :tick, @@format@@)
ON CONFLICT (lock_key) DO UPDATE
SET owner = excluded.owner, instance = excluded.instance, token = GREATEST(held.token + 1, @@micros@@) + :span - 1,
	acquired_at = @@now@@, expires_at = @@after(:ttl)@@, waiting_until = NULL, shared_until = NULL,
	tick = COALESCE(excluded.tick, held.tick)
WHERE @@free(held)@@ AND (held.tick IS NULL OR held.tick < :before)
RETURNING owner, token, 0 AS rest, 0 AS age, tick, format AS form
