-- Checks whether a lease stands.
-- In: key, owner, token (the last of the range).
-- Out: one row; none if the lease no longer stands.
SELECT token
FROM @@table@@
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > @@now@@ AND @@ours@@
