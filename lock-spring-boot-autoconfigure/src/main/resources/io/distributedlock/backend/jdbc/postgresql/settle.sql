-- Lets the row of a key expire with the latest of its members, and notifies waiters if it expires earlier than before.
-- In: key, kind, ends (ms from now, in the past), door (for how long the waiters that have closed a group have the free
-- key to themselves, in ms).
-- Out: settled, false if the members have changed while the statement waited for the row; no row if the key has no such
-- group.
WITH seen AS (
	SELECT held.token, held.expires_at,
		(SELECT MAX(reader.expires_at) FROM @@reader_table@@ AS reader
			WHERE reader.lock_key = :key AND reader.expires_at > @@now@@) AS latest
	FROM @@table@@ AS held
	WHERE held.lock_key = :key
)
UPDATE @@table@@ AS held
SET token = held.token + 1,
	expires_at = CASE WHEN held.token = seen.token THEN GREATEST(seen.latest, @@after(:ends)@@)
		ELSE held.expires_at END,
	acquired_at = CASE WHEN held.token = seen.token AND seen.latest IS NULL THEN @@now@@ ELSE held.acquired_at END,
	waiting_until = CASE WHEN held.token = seen.token AND seen.latest IS NULL
		AND held.waiting_until > @@after(:door)@@ THEN @@after(:door)@@ ELSE held.waiting_until END
FROM seen
WHERE held.lock_key = :key AND @@group(held)@@
RETURNING held.token = seen.token + 1 AS settled,
	CASE WHEN held.waiting_until > @@now@@ AND held.expires_at < seen.expires_at
		THEN pg_notify('@@channel@@', held.lock_key) END
