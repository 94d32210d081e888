-- Ends the lease of a member, or leaves its place to a cooldown, which has no owner. The row of the key then expires
-- with the latest of the other members. As after each release, acquired_at is the time of the last one.
-- That is known only if the members have not changed while the statement waited for the row. Otherwise the row keeps
-- its expiry, and has to be settled by another statement.
-- Waiters are notified if the row expires earlier than before, or if one of them waits for a permit.
-- In: key, kind, owner, least and most (limits for the last token of the lease), ends (when the cooldown ends, in ms
-- from now; negative for none), place (the owner of the cooldown's place), door (for how long the waiters that have
-- closed a group have the free key to themselves, in ms).
-- Out: settled, wanted (0 if such a waiter is known, else null); no row if the lease no longer stands.
WITH seen AS (
	SELECT held.token, held.expires_at,
		(SELECT MAX(other.expires_at) FROM @@reader_table@@ AS other
			WHERE other.lock_key = :key AND other.owner <> :owner AND other.expires_at > @@now@@) AS latest
	FROM @@table@@ AS held
	JOIN @@reader_table@@ AS reader ON reader.lock_key = held.lock_key
	WHERE held.lock_key = :key AND reader.owner = :owner AND reader.token BETWEEN :least AND :most
		AND reader.expires_at > @@now@@
), gate AS (
	UPDATE @@table@@ AS held
	SET token = held.token + 1,
		expires_at = GREATEST(CASE WHEN held.token = seen.token THEN seen.latest ELSE held.expires_at END,
			@@after(:ends)@@),
		acquired_at = CASE WHEN held.token = seen.token AND seen.latest IS NULL THEN @@now@@
			ELSE held.acquired_at END,
		waiting_until = CASE WHEN held.token = seen.token AND seen.latest IS NULL AND :ends <= 0
			AND held.waiting_until > @@after(:door)@@ THEN @@after(:door)@@ ELSE held.waiting_until END
	FROM seen
	WHERE held.lock_key = :key AND @@group(held)@@
	RETURNING held.expires_at, held.token = seen.token + 1 AS settled,
		CASE WHEN held.waiting_until > @@now@@ THEN 0 END AS wanted,
		CASE WHEN (held.waiting_until > @@now@@ AND held.expires_at < seen.expires_at) OR held.shared_until IS NOT NULL
			THEN pg_notify('@@channel@@', held.lock_key) END
), gone AS (
	DELETE FROM @@reader_table@@ AS reader USING gate
	WHERE reader.lock_key = :key AND reader.owner = :owner AND reader.expires_at > @@now@@ AND :ends <= 0
	RETURNING gate.settled, gate.wanted
), kept AS (
	UPDATE @@reader_table@@ AS reader
	SET owner = :place, instance = NULL, expires_at = LEAST(gate.expires_at, @@after(:ends)@@)
	FROM gate
	WHERE reader.lock_key = :key AND reader.owner = :owner AND reader.expires_at > @@now@@ AND :ends > 0
	RETURNING gate.settled, gate.wanted
)
SELECT settled, wanted FROM gone UNION ALL SELECT settled, wanted FROM kept
