--- abandon
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = CURRENT_TIMESTAMP(6), expires_at = CURRENT_TIMESTAMP(6) + CAST(:ends AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)
WHERE lock_key = :key AND owner = :owner AND format = 1
--- find
SELECT lock_key, instance, token, CASE WHEN acquired_at >= CURRENT_TIMESTAMP(6) THEN 0 WHEN acquired_at <= CURRENT_TIMESTAMP(6) + CAST(-315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - acquired_at) SECOND(12, 6)) * 1000) AS BIGINT) END AS age, CASE WHEN expires_at <= CURRENT_TIMESTAMP(6) THEN 0 WHEN expires_at >= CURRENT_TIMESTAMP(6) + CAST(315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (expires_at - CURRENT_TIMESTAMP(6)) SECOND(12, 6)) * 1000) AS BIGINT) END AS rest, CASE WHEN format = 1 AND expires_at <= CURRENT_TIMESTAMP(6) AND shared_until > CURRENT_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key = :key AND ((owner IS NOT NULL AND expires_at > CURRENT_TIMESTAMP(6)) OR CASE WHEN format = 1 AND expires_at <= CURRENT_TIMESTAMP(6) AND shared_until > CURRENT_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END <> 1)
--- force-release
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = CURRENT_TIMESTAMP(6), expires_at = CURRENT_TIMESTAMP(6) + CAST(:ends AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > CURRENT_TIMESTAMP(6) AND format = 1
--- forget
DELETE FROM distributed_lock
WHERE lock_key = :key AND format = 1 AND expires_at < CURRENT_TIMESTAMP(6) + CAST(:unused AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)
	AND (acquired_at IS NULL OR acquired_at < CURRENT_TIMESTAMP(6) + CAST(:unused AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)) AND token < CAST(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - TIMESTAMP '1970-01-01 00:00:00+00:00') SECOND(12, 6)) * 1000000 AS BIGINT) - :micros
	AND (tick IS NULL OR (expires_at < CURRENT_TIMESTAMP(6) + CAST(:ticked AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) AND (acquired_at IS NULL OR acquired_at < CURRENT_TIMESTAMP(6) + CAST(:ticked AS BIGINT) * INTERVAL '0.001' SECOND(12, 3))))
	AND (waiting_until IS NULL OR waiting_until < CURRENT_TIMESTAMP(6)) AND (shared_until IS NULL OR shared_until < CURRENT_TIMESTAMP(6))
--- insert
INSERT INTO distributed_lock (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
VALUES (:key, :owner, :instance, CAST(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - TIMESTAMP '1970-01-01 00:00:00+00:00') SECOND(12, 6)) * 1000000 AS BIGINT) + :span - 1, CURRENT_TIMESTAMP(6), CURRENT_TIMESTAMP(6) + CAST(:ttl AS BIGINT) * INTERVAL '0.001' SECOND(12, 3), :tick, 1)
--- list
SELECT lock_key, instance, token, CASE WHEN acquired_at >= CURRENT_TIMESTAMP(6) THEN 0 WHEN acquired_at <= CURRENT_TIMESTAMP(6) + CAST(-315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - acquired_at) SECOND(12, 6)) * 1000) AS BIGINT) END AS age, CASE WHEN expires_at <= CURRENT_TIMESTAMP(6) THEN 0 WHEN expires_at >= CURRENT_TIMESTAMP(6) + CAST(315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (expires_at - CURRENT_TIMESTAMP(6)) SECOND(12, 6)) * 1000) AS BIGINT) END AS rest, CASE WHEN format = 1 AND expires_at <= CURRENT_TIMESTAMP(6) AND shared_until > CURRENT_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key > :after AND owner IS NOT NULL AND expires_at > CURRENT_TIMESTAMP(6) AND format = 1
ORDER BY lock_key
--- look-many
SELECT lock_key, CASE WHEN expires_at <= CURRENT_TIMESTAMP(6) THEN 0 WHEN expires_at >= CURRENT_TIMESTAMP(6) + CAST(315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (expires_at - CURRENT_TIMESTAMP(6)) SECOND(12, 6)) * 1000) AS BIGINT) END AS rest, CASE WHEN acquired_at >= CURRENT_TIMESTAMP(6) THEN 0 WHEN acquired_at <= CURRENT_TIMESTAMP(6) + CAST(-315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - acquired_at) SECOND(12, 6)) * 1000) AS BIGINT) END AS age
FROM distributed_lock
WHERE lock_key IN (:keys)
--- mark
UPDATE distributed_lock
SET waiting_until = CASE WHEN waiting_until > CURRENT_TIMESTAMP(6) AND waiting_until < CURRENT_TIMESTAMP(6) + CAST(:mark AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN waiting_until
		ELSE CURRENT_TIMESTAMP(6) + CAST(:mark AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) END
WHERE lock_key = :key AND expires_at > CURRENT_TIMESTAMP(6) AND format = 1
--- mark-many
UPDATE distributed_lock
SET waiting_until = CASE WHEN waiting_until > CURRENT_TIMESTAMP(6) AND waiting_until < CURRENT_TIMESTAMP(6) + CAST(:mark AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN waiting_until
		ELSE CURRENT_TIMESTAMP(6) + CAST(:mark AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) END
WHERE lock_key IN (:keys) AND format = 1 AND expires_at > CURRENT_TIMESTAMP(6)
--- release
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = CURRENT_TIMESTAMP(6), expires_at = CURRENT_TIMESTAMP(6) + CAST(:ends AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > CURRENT_TIMESTAMP(6) AND format = 1
--- renew
UPDATE distributed_lock
SET expires_at = CASE WHEN expires_at > CURRENT_TIMESTAMP(6) + CAST(:ttl AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN expires_at ELSE CURRENT_TIMESTAMP(6) + CAST(:ttl AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) END
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > CURRENT_TIMESTAMP(6) AND format = 1
--- standing
SELECT token
FROM distributed_lock
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > CURRENT_TIMESTAMP(6) AND format = 1
--- state
SELECT owner, token, CASE WHEN expires_at <= CURRENT_TIMESTAMP(6) THEN 0 WHEN expires_at >= CURRENT_TIMESTAMP(6) + CAST(315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (expires_at - CURRENT_TIMESTAMP(6)) SECOND(12, 6)) * 1000) AS BIGINT) END AS rest, CASE WHEN acquired_at >= CURRENT_TIMESTAMP(6) THEN 0 WHEN acquired_at <= CURRENT_TIMESTAMP(6) + CAST(-315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - acquired_at) SECOND(12, 6)) * 1000) AS BIGINT) END AS age, tick, CASE WHEN format = 1 AND expires_at <= CURRENT_TIMESTAMP(6) AND shared_until > CURRENT_TIMESTAMP(6) THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key = :key
--- take
UPDATE distributed_lock
SET owner = :owner, instance = :instance,
	token = CASE WHEN token + 1 > CAST(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - TIMESTAMP '1970-01-01 00:00:00+00:00') SECOND(12, 6)) * 1000000 AS BIGINT) THEN token + 1 ELSE CAST(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - TIMESTAMP '1970-01-01 00:00:00+00:00') SECOND(12, 6)) * 1000000 AS BIGINT) END + :span - 1,
	acquired_at = CURRENT_TIMESTAMP(6), expires_at = CURRENT_TIMESTAMP(6) + CAST(:ttl AS BIGINT) * INTERVAL '0.001' SECOND(12, 3), waiting_until = NULL, shared_until = NULL,
	tick = COALESCE(:tick, tick)
WHERE lock_key = :key AND (expires_at <= CURRENT_TIMESTAMP(6) AND (shared_until IS NULL OR shared_until <= CURRENT_TIMESTAMP(6)) AND format = 1) AND (tick IS NULL OR tick < :before)
--- unused
SELECT lock_key
FROM distributed_lock
WHERE lock_key > :after AND format = 1 AND expires_at < CURRENT_TIMESTAMP(6) + CAST(:unused AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)
	AND (acquired_at IS NULL OR acquired_at < CURRENT_TIMESTAMP(6) + CAST(:unused AS BIGINT) * INTERVAL '0.001' SECOND(12, 3)) AND token < CAST(EXTRACT(SECOND FROM (CURRENT_TIMESTAMP(6) - TIMESTAMP '1970-01-01 00:00:00+00:00') SECOND(12, 6)) * 1000000 AS BIGINT) - :micros
	AND (tick IS NULL OR (expires_at < CURRENT_TIMESTAMP(6) + CAST(:ticked AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) AND (acquired_at IS NULL OR acquired_at < CURRENT_TIMESTAMP(6) + CAST(:ticked AS BIGINT) * INTERVAL '0.001' SECOND(12, 3))))
	AND (waiting_until IS NULL OR waiting_until < CURRENT_TIMESTAMP(6)) AND (shared_until IS NULL OR shared_until < CURRENT_TIMESTAMP(6))
ORDER BY lock_key
--- wanted
SELECT CASE WHEN waiting_until > CURRENT_TIMESTAMP(6) THEN CASE WHEN waiting_until <= CURRENT_TIMESTAMP(6) THEN 0 WHEN waiting_until >= CURRENT_TIMESTAMP(6) + CAST(315360000000 AS BIGINT) * INTERVAL '0.001' SECOND(12, 3) THEN 315360000000 ELSE CAST(CEILING(EXTRACT(SECOND FROM (waiting_until - CURRENT_TIMESTAMP(6)) SECOND(12, 6)) * 1000) AS BIGINT) END END AS wanted
FROM distributed_lock
WHERE lock_key = :key
