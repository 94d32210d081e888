-- Takes a lock that has no row.
-- In: key, owner, instance, ttl (ms), span, tick (null for none).
-- Out: granted, the token (the last of the range); a duplicate key if another client was first.
BEGIN
	INSERT INTO @@table@@ (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
	VALUES (:key, :owner, :instance, @@micros@@ + :span - 1, @@now@@, @@after(:ttl)@@, :tick, @@format@@)
	RETURNING token INTO :granted;
END;
