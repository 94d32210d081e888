--- abandon
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = UTC_TIMESTAMP(6), expires_at = TIMESTAMPADD(MICROSECOND, :ends * 1000, UTC_TIMESTAMP(6))
WHERE lock_key = :key AND owner = :owner AND format = 1
--- find
SELECT lock_key, instance, token, CASE WHEN acquired_at >= UTC_TIMESTAMP(6) THEN 0 WHEN acquired_at <= TIMESTAMPADD(MICROSECOND, -315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, acquired_at, UTC_TIMESTAMP(6)) / 1000) END AS age, CASE WHEN expires_at <= UTC_TIMESTAMP(6) THEN 0 WHEN expires_at >= TIMESTAMPADD(MICROSECOND, 315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1000) END AS rest, CASE WHEN format = 1 AND expires_at <= UTC_TIMESTAMP(6) AND shared_until > UTC_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key = :key AND ((owner IS NOT NULL AND expires_at > UTC_TIMESTAMP(6)) OR CASE WHEN format = 1 AND expires_at <= UTC_TIMESTAMP(6) AND shared_until > UTC_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END <> 1)
--- force-release
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = UTC_TIMESTAMP(6), expires_at = TIMESTAMPADD(MICROSECOND, :ends * 1000, UTC_TIMESTAMP(6))
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > UTC_TIMESTAMP(6) AND format = 1
--- forget
DELETE FROM distributed_lock
WHERE lock_key = :key AND format = 1 AND expires_at < TIMESTAMPADD(MICROSECOND, :unused * 1000, UTC_TIMESTAMP(6))
	AND (acquired_at IS NULL OR acquired_at < TIMESTAMPADD(MICROSECOND, :unused * 1000, UTC_TIMESTAMP(6))) AND token < TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - :micros
	AND (tick IS NULL OR (expires_at < TIMESTAMPADD(MICROSECOND, :ticked * 1000, UTC_TIMESTAMP(6)) AND (acquired_at IS NULL OR acquired_at < TIMESTAMPADD(MICROSECOND, :ticked * 1000, UTC_TIMESTAMP(6)))))
	AND (waiting_until IS NULL OR waiting_until < UTC_TIMESTAMP(6)) AND (shared_until IS NULL OR shared_until < UTC_TIMESTAMP(6))
--- insert
INSERT INTO distributed_lock (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
VALUES (:key, :owner, :instance, LAST_INSERT_ID(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + :span - 1), UTC_TIMESTAMP(6), TIMESTAMPADD(MICROSECOND, :ttl * 1000, UTC_TIMESTAMP(6)), :tick, 1)
--- list
SELECT lock_key, instance, token, CASE WHEN acquired_at >= UTC_TIMESTAMP(6) THEN 0 WHEN acquired_at <= TIMESTAMPADD(MICROSECOND, -315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, acquired_at, UTC_TIMESTAMP(6)) / 1000) END AS age, CASE WHEN expires_at <= UTC_TIMESTAMP(6) THEN 0 WHEN expires_at >= TIMESTAMPADD(MICROSECOND, 315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1000) END AS rest, CASE WHEN format = 1 AND expires_at <= UTC_TIMESTAMP(6) AND shared_until > UTC_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key > :after AND owner IS NOT NULL AND expires_at > UTC_TIMESTAMP(6) AND format = 1
ORDER BY lock_key
--- look-many
SELECT lock_key, CASE WHEN expires_at <= UTC_TIMESTAMP(6) THEN 0 WHEN expires_at >= TIMESTAMPADD(MICROSECOND, 315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1000) END AS rest, CASE WHEN acquired_at >= UTC_TIMESTAMP(6) THEN 0 WHEN acquired_at <= TIMESTAMPADD(MICROSECOND, -315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, acquired_at, UTC_TIMESTAMP(6)) / 1000) END AS age
FROM distributed_lock
WHERE lock_key IN (:keys)
--- mark
UPDATE distributed_lock
SET waiting_until = CASE WHEN waiting_until > UTC_TIMESTAMP(6) AND waiting_until < TIMESTAMPADD(MICROSECOND, :mark * 1000, UTC_TIMESTAMP(6)) THEN waiting_until
		ELSE TIMESTAMPADD(MICROSECOND, :mark * 1000, UTC_TIMESTAMP(6)) END
WHERE lock_key = :key AND expires_at > UTC_TIMESTAMP(6) AND format = 1
--- mark-many
UPDATE distributed_lock
SET waiting_until = CASE WHEN waiting_until > UTC_TIMESTAMP(6) AND waiting_until < TIMESTAMPADD(MICROSECOND, :mark * 1000, UTC_TIMESTAMP(6)) THEN waiting_until
		ELSE TIMESTAMPADD(MICROSECOND, :mark * 1000, UTC_TIMESTAMP(6)) END
WHERE lock_key IN (:keys) AND format = 1 AND expires_at > UTC_TIMESTAMP(6)
--- release
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = UTC_TIMESTAMP(6), expires_at = TIMESTAMPADD(MICROSECOND, :ends * 1000, UTC_TIMESTAMP(6))
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > UTC_TIMESTAMP(6) AND format = 1
--- renew
UPDATE distributed_lock
SET expires_at = GREATEST(expires_at, TIMESTAMPADD(MICROSECOND, :ttl * 1000, UTC_TIMESTAMP(6)))
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > UTC_TIMESTAMP(6) AND format = 1
--- standing
SELECT token
FROM distributed_lock
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > UTC_TIMESTAMP(6) AND format = 1
--- state
SELECT owner, token, CASE WHEN expires_at <= UTC_TIMESTAMP(6) THEN 0 WHEN expires_at >= TIMESTAMPADD(MICROSECOND, 315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1000) END AS rest, CASE WHEN acquired_at >= UTC_TIMESTAMP(6) THEN 0 WHEN acquired_at <= TIMESTAMPADD(MICROSECOND, -315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, acquired_at, UTC_TIMESTAMP(6)) / 1000) END AS age, tick, CASE WHEN format = 1 AND expires_at <= UTC_TIMESTAMP(6) AND shared_until > UTC_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key = :key
--- take
UPDATE distributed_lock
SET token = LAST_INSERT_ID(GREATEST(token + 1, TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))) + :span - 1), owner = :owner, instance = :instance,
	acquired_at = UTC_TIMESTAMP(6), waiting_until = NULL, shared_until = NULL,
	tick = COALESCE(:tick, tick), expires_at = TIMESTAMPADD(MICROSECOND, :ttl * 1000, UTC_TIMESTAMP(6))
WHERE lock_key = :key AND (expires_at <= UTC_TIMESTAMP(6) AND (shared_until IS NULL OR shared_until <= UTC_TIMESTAMP(6)) AND format = 1) AND (tick IS NULL OR tick < :before)
--- unused
SELECT lock_key
FROM distributed_lock
WHERE lock_key > :after AND format = 1 AND expires_at < TIMESTAMPADD(MICROSECOND, :unused * 1000, UTC_TIMESTAMP(6))
	AND (acquired_at IS NULL OR acquired_at < TIMESTAMPADD(MICROSECOND, :unused * 1000, UTC_TIMESTAMP(6))) AND token < TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - :micros
	AND (tick IS NULL OR (expires_at < TIMESTAMPADD(MICROSECOND, :ticked * 1000, UTC_TIMESTAMP(6)) AND (acquired_at IS NULL OR acquired_at < TIMESTAMPADD(MICROSECOND, :ticked * 1000, UTC_TIMESTAMP(6)))))
	AND (waiting_until IS NULL OR waiting_until < UTC_TIMESTAMP(6)) AND (shared_until IS NULL OR shared_until < UTC_TIMESTAMP(6))
ORDER BY lock_key
--- wanted
SELECT CASE WHEN waiting_until > UTC_TIMESTAMP(6) THEN CASE WHEN waiting_until <= UTC_TIMESTAMP(6) THEN 0 WHEN waiting_until >= TIMESTAMPADD(MICROSECOND, 315360000000 * 1000, UTC_TIMESTAMP(6)) THEN 315360000000 ELSE CEIL(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), waiting_until) / 1000) END END AS wanted
FROM distributed_lock
WHERE lock_key = :key
