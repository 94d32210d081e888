-- Extends a lease. Never shortens it, and never revives one that has expired.
-- In: key, owner, token (the last of the range), ttl (ms).
-- Out: one row changed; none if the lease no longer stands.
UPDATE @@table@@
SET expires_at = CASE WHEN expires_at > @@after(:ttl)@@ THEN expires_at ELSE @@after(:ttl)@@ END
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
