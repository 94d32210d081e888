-- Extends the lease of a member and the row of its key, in one statement. Never shortens one, and never revives a lease
-- that has expired. The row is locked before the reader. The token changes, so that the row counts as changed even if
-- no expiry does.
-- In: key, kind, owner, least and most (limits for the last token of the lease), ttl (ms).
-- Out: rows changed; none if the lease no longer stands.
UPDATE @@table@@ AS held
STRAIGHT_JOIN @@reader_table@@ AS reader ON reader.lock_key = held.lock_key
SET held.token = held.token + 1, held.expires_at = GREATEST(held.expires_at, @@after(:ttl)@@),
	reader.expires_at = GREATEST(reader.expires_at, @@after(:ttl)@@)
WHERE held.lock_key = :key AND @@group(held)@@ AND reader.owner = :owner
	AND reader.token BETWEEN :least AND :most AND reader.expires_at > @@now@@
