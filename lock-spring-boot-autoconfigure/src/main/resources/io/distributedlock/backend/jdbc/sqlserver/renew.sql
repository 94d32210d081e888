-- Lengthens a lease: never brings its expiry nearer, never revives it.
-- In: key, owner, token (the last of the range), ttl (ms).
-- Out: one row changed; none where the lease no longer stands.
UPDATE @@table@@
SET expires_at = CASE WHEN expires_at > @@after(:ttl)@@ THEN expires_at ELSE @@after(:ttl)@@ END
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
