-- Takes a free lock, whether or not its row exists.
-- In: key, owner, instance, ttl (ms), span, tick (null for none), before (the stored tick must be smaller).
-- Out: owner, token (the last of the range), rest (ms), age (ms), tick, form; no row if the lock can't be taken.
SELECT owner, token, @@rest@@ AS rest, @@age@@ AS age, tick, @@form@@ AS form
FROM FINAL TABLE (
	MERGE INTO @@table@@ held
	USING (VALUES (CAST(:key AS VARBINARY))) asked (lock_key)
	ON held.lock_key = asked.lock_key
	WHEN MATCHED AND @@free(held)@@ AND (held.tick IS NULL OR held.tick < :before) THEN
		UPDATE SET owner = :owner, instance = :instance, token = GREATEST(held.token + 1, @@micros@@) + :span - 1,
			acquired_at = @@now@@, expires_at = @@after(:ttl)@@, waiting_until = NULL, shared_until = NULL,
			tick = COALESCE(:tick, held.tick)
	WHEN NOT MATCHED THEN
		INSERT (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
		VALUES (asked.lock_key, :owner, :instance, @@micros@@ + :span - 1, @@now@@, @@after(:ttl)@@, :tick, @@format@@)
)
