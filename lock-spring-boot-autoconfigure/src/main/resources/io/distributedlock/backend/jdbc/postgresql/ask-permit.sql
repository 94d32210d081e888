-- Asks that the next release of a permit notifies waiters. The time has no meaning: it is one in the past, which means
-- nothing to versions without groups. The next entry clears it.
-- In: key, kind.
-- Out: one row changed; none if the key has no such group, or if this was asked for before.
UPDATE @@table@@
SET shared_until = TIMESTAMPTZ 'epoch'
WHERE lock_key = :key AND @@group@@ AND shared_until IS NULL
