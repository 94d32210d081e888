-- Takes a key away from all members of its group, begins a cooldown, which has no owner, and notifies waiters.
-- All members are known only if none has entered while the statement waited for the row.
-- In: key, kind, ends (when the key becomes free, in ms from now).
-- Out: one row if the key had a member; no row if it had none, or if the members have changed meanwhile.
WITH seen AS (
	SELECT held.token
	FROM @@table@@ AS held
	WHERE held.lock_key = :key AND EXISTS (SELECT 1 FROM @@reader_table@@ AS reader
		WHERE reader.lock_key = :key AND reader.instance IS NOT NULL AND reader.expires_at > @@now@@)
), gate AS (
	UPDATE @@table@@ AS held
	SET instance = NULL, token = held.token + 1, acquired_at = @@now@@, expires_at = @@after(:ends)@@,
		shared_until = NULL
	FROM seen
	WHERE held.lock_key = :key AND @@group(held)@@ AND held.token = seen.token
	RETURNING held.token, pg_notify('@@channel@@', held.lock_key)
), gone AS (
	DELETE FROM @@reader_table@@ AS reader USING gate WHERE reader.lock_key = :key
)
SELECT token FROM gate
