-- Leaves the place of a member to a cooldown, which has no owner. The transaction has the lock on the key's row.
-- In: key, owner, least and most (limits for the last token of the lease), ends (when the cooldown ends, in ms from
-- now), place (the owner of the place).
-- Out: one row changed; none if the lease no longer stands.
UPDATE @@reader_table@@
SET owner = :place, instance = NULL, expires_at = @@after(:ends)@@
WHERE lock_key = :key AND owner = :owner AND token BETWEEN :least AND :most AND expires_at > @@now@@
