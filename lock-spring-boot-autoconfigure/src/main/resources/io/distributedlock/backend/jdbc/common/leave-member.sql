-- Ends the lease of a member. The transaction has the lock on the key's row.
-- In: key, owner, least and most (limits for the last token of the lease).
-- Out: one row deleted; none if the lease no longer stands.
DELETE FROM @@reader_table@@
WHERE lock_key = :key AND owner = :owner AND token BETWEEN :least AND :most AND expires_at > @@now@@
