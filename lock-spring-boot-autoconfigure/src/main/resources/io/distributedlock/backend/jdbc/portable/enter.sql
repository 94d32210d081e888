-- Enters the group on a key, or begins it if the key is free. The first statement of a transaction: it locks the row.
-- In: key, kind, ttl (ms), span.
-- Out: one row changed; none if the group can't be entered.
UPDATE @@table@@
SET owner = NULL, instance = :kind,
	token = CASE WHEN token + 1 > @@micros@@ THEN token + 1 ELSE @@micros@@ END + :span - 1,
	acquired_at = CASE WHEN expires_at > @@now@@ THEN acquired_at ELSE @@now@@ END,
	expires_at = CASE WHEN expires_at > @@after(:ttl)@@ THEN expires_at ELSE @@after(:ttl)@@ END,
	waiting_until = NULL, shared_until = NULL
WHERE lock_key = :key AND @@open@@ AND (@@free@@ OR @@group@@)
