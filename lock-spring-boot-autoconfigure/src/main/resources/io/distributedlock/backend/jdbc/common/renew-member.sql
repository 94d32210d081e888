-- Extends the lease of a member. Never shortens it, and never revives one that has expired. The transaction has the
-- lock on the key's row.
-- In: key, owner, least and most (limits for the last token of the lease), ttl (ms).
-- Out: one row changed; none if the lease no longer stands.
UPDATE @@reader_table@@
SET expires_at = CASE WHEN expires_at > @@after(:ttl)@@ THEN expires_at ELSE @@after(:ttl)@@ END
WHERE lock_key = :key AND owner = :owner AND token BETWEEN :least AND :most AND expires_at > @@now@@
