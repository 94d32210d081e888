-- Enters the group on a key, or begins it if the key is free. The first statement of a transaction: it locks the row.
-- Assignments see the new values of earlier ones, so the expiry comes last.
-- In: key, kind, ttl (ms), span.
-- Out: token (the last of the range) as the generated key; no row changed if the group can't be entered.
UPDATE @@table@@
SET token = LAST_INSERT_ID(GREATEST(token + 1, @@micros@@) + :span - 1), owner = NULL, instance = :kind,
	acquired_at = IF(expires_at > @@now@@, acquired_at, @@now@@), waiting_until = NULL, shared_until = NULL,
	expires_at = GREATEST(expires_at, @@after(:ttl)@@)
WHERE lock_key = :key AND @@open@@ AND (@@free@@ OR @@group@@)
