-- Locks the row of a key that has a group. Each later statement of the transaction sees the members as they are from
-- then on.
-- In: key, kind.
-- Out: one row changed; none if the key has no such group.
UPDATE @@table@@ SET token = token + 1 WHERE lock_key = :key AND @@group@@
