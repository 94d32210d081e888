-- Enters the group on a key, or begins it if the key is free. The first statement of a transaction: it locks the row.
-- In: key, kind, ttl (ms), span.
-- Out: granted, the token (the last of the range); null if the group can't be entered.
BEGIN
	UPDATE @@table@@
	SET owner = NULL, instance = :kind, token = GREATEST(token + 1, @@micros@@) + :span - 1,
		acquired_at = CASE WHEN expires_at > @@now@@ THEN acquired_at ELSE @@now@@ END,
		expires_at = GREATEST(expires_at, @@after(:ttl)@@), waiting_until = NULL, shared_until = NULL
	WHERE lock_key = :key AND @@open@@ AND (@@free@@ OR @@group@@)
	RETURNING token INTO :granted;
END;
