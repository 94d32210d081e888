-- Enters the group on a key, or begins it if the key is free. One transaction in one request: its first statement locks
-- the row, and the later ones see the members as they are from then on.
-- Assignments see the new values of earlier ones, so the expiry comes last.
-- In: key, owner, instance, kind, ttl (ms), span, permits (0 for shared leases).
-- Out: token (the last of the range), null if the group can't be entered.
BEGIN NOT ATOMIC
	DECLARE entered BIGINT;
	DECLARE places BIGINT DEFAULT 0;
	DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
	START TRANSACTION;
	UPDATE @@table@@
	SET token = GREATEST(token + 1, @@micros@@) + :span - 1, owner = NULL, instance = :kind,
		acquired_at = IF(expires_at > @@now@@, acquired_at, @@now@@), waiting_until = NULL, shared_until = NULL,
		expires_at = GREATEST(expires_at, @@after(:ttl)@@)
	WHERE lock_key = :key AND @@open@@ AND (@@free@@ OR @@group@@);
	IF ROW_COUNT() > 0 THEN
		IF :permits > 0 THEN
			SELECT COUNT(*) INTO places FROM @@reader_table@@ WHERE lock_key = :key AND expires_at > @@now@@;
		END IF;
		IF :permits = 0 OR places < :permits THEN
			SELECT token INTO entered FROM @@table@@ WHERE lock_key = :key;
@@step(insert-member)@@;
			COMMIT;
		END IF;
	END IF;
	ROLLBACK;
	SELECT entered AS token;
END
