--- abandon
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = clock_timestamp(), expires_at = clock_timestamp() + :ends * INTERVAL '1 millisecond'
WHERE lock_key = :key AND owner = :owner AND format = 1
RETURNING CASE WHEN waiting_until > clock_timestamp() THEN pg_notify('distributed_lock', lock_key) END
--- acquire
INSERT INTO distributed_lock AS held (lock_key, owner, instance, token, acquired_at, expires_at, tick, format)
VALUES (:key, :owner, :instance, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) + :span - 1, clock_timestamp(), clock_timestamp() + :ttl * INTERVAL '1 millisecond', :tick, 1)
ON CONFLICT (lock_key) DO UPDATE
SET owner = excluded.owner, instance = excluded.instance, token = GREATEST(held.token + 1, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)) + :span - 1,
	acquired_at = clock_timestamp(), expires_at = clock_timestamp() + :ttl * INTERVAL '1 millisecond', waiting_until = NULL, shared_until = NULL,
	tick = COALESCE(excluded.tick, held.tick)
WHERE (held.expires_at <= clock_timestamp() AND (held.shared_until IS NULL OR held.shared_until <= clock_timestamp()) AND held.format = 1) AND (held.tick IS NULL OR held.tick < :before)
RETURNING owner, token, 0 AS rest, 0 AS age, tick, format AS form
--- find
SELECT lock_key, instance, token, CASE WHEN acquired_at >= clock_timestamp() THEN 0 WHEN acquired_at <= clock_timestamp() + -315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (clock_timestamp() - acquired_at)) * 1000) AS BIGINT) END AS age, CASE WHEN expires_at <= clock_timestamp() THEN 0 WHEN expires_at >= clock_timestamp() + 315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (expires_at - clock_timestamp())) * 1000) AS BIGINT) END AS rest, CASE WHEN format = 1 AND expires_at <= clock_timestamp() AND shared_until > clock_timestamp() THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key = :key AND ((owner IS NOT NULL AND expires_at > clock_timestamp()) OR CASE WHEN format = 1 AND expires_at <= clock_timestamp() AND shared_until > clock_timestamp() THEN 0 ELSE COALESCE(format, 0) END <> 1)
--- force-release
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = clock_timestamp(), expires_at = clock_timestamp() + :ends * INTERVAL '1 millisecond'
WHERE lock_key = :key AND owner IS NOT NULL AND expires_at > clock_timestamp() AND format = 1
RETURNING CASE WHEN waiting_until > clock_timestamp() THEN pg_notify('distributed_lock', lock_key) END
--- forget
DELETE FROM distributed_lock
WHERE lock_key = :key AND format = 1 AND expires_at < clock_timestamp() + :unused * INTERVAL '1 millisecond'
	AND (acquired_at IS NULL OR acquired_at < clock_timestamp() + :unused * INTERVAL '1 millisecond') AND token < CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) - :micros
	AND (tick IS NULL OR (expires_at < clock_timestamp() + :ticked * INTERVAL '1 millisecond' AND (acquired_at IS NULL OR acquired_at < clock_timestamp() + :ticked * INTERVAL '1 millisecond')))
	AND (waiting_until IS NULL OR waiting_until < clock_timestamp()) AND (shared_until IS NULL OR shared_until < clock_timestamp())
--- list
SELECT lock_key, instance, token, CASE WHEN acquired_at >= clock_timestamp() THEN 0 WHEN acquired_at <= clock_timestamp() + -315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (clock_timestamp() - acquired_at)) * 1000) AS BIGINT) END AS age, CASE WHEN expires_at <= clock_timestamp() THEN 0 WHEN expires_at >= clock_timestamp() + 315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (expires_at - clock_timestamp())) * 1000) AS BIGINT) END AS rest, CASE WHEN format = 1 AND expires_at <= clock_timestamp() AND shared_until > clock_timestamp() THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key > :after AND owner IS NOT NULL AND expires_at > clock_timestamp() AND format = 1
ORDER BY lock_key
--- look-many
SELECT lock_key, CASE WHEN expires_at <= clock_timestamp() THEN 0 WHEN expires_at >= clock_timestamp() + 315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (expires_at - clock_timestamp())) * 1000) AS BIGINT) END AS rest, CASE WHEN acquired_at >= clock_timestamp() THEN 0 WHEN acquired_at <= clock_timestamp() + -315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (clock_timestamp() - acquired_at)) * 1000) AS BIGINT) END AS age
FROM distributed_lock
WHERE lock_key IN (:keys)
--- mark
UPDATE distributed_lock
SET waiting_until = GREATEST(waiting_until, clock_timestamp() + :mark * INTERVAL '1 millisecond')
WHERE lock_key = :key AND expires_at > clock_timestamp() AND format = 1
RETURNING CASE WHEN expires_at <= clock_timestamp() THEN 0 WHEN expires_at >= clock_timestamp() + 315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (expires_at - clock_timestamp())) * 1000) AS BIGINT) END AS rest, CASE WHEN acquired_at >= clock_timestamp() THEN 0 WHEN acquired_at <= clock_timestamp() + -315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (clock_timestamp() - acquired_at)) * 1000) AS BIGINT) END AS age, tick
--- mark-many
UPDATE distributed_lock
SET waiting_until = CASE WHEN waiting_until > clock_timestamp() AND waiting_until < clock_timestamp() + :mark * INTERVAL '1 millisecond' THEN waiting_until
		ELSE clock_timestamp() + :mark * INTERVAL '1 millisecond' END
WHERE lock_key IN (:keys) AND format = 1 AND expires_at > clock_timestamp()
--- release
UPDATE distributed_lock
SET owner = NULL, instance = NULL, acquired_at = clock_timestamp(), expires_at = clock_timestamp() + :ends * INTERVAL '1 millisecond'
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > clock_timestamp() AND format = 1
RETURNING CASE WHEN waiting_until > clock_timestamp() THEN 0 END AS wanted,
	CASE WHEN waiting_until > clock_timestamp() THEN pg_notify('distributed_lock', lock_key) END
--- release-all
WITH standing AS (
	SELECT held.lock_key, asked.ends, asked.place
	FROM distributed_lock AS held
	JOIN unnest(CAST(:keys AS TEXT[]), CAST(:owners AS TEXT[]), CAST(:tokens AS BIGINT[]),
			CAST(:ends AS BIGINT[])) WITH ORDINALITY AS asked (lock_key, owner, token, ends, place)
		ON held.lock_key = asked.lock_key AND held.owner = asked.owner AND held.token = asked.token
	WHERE held.expires_at > clock_timestamp() AND held.format = 1
	ORDER BY held.lock_key
	FOR UPDATE OF held
)
UPDATE distributed_lock AS held
SET owner = NULL, instance = NULL, acquired_at = clock_timestamp(), expires_at = clock_timestamp() + standing.ends * INTERVAL '1 millisecond'
FROM standing
WHERE held.lock_key = standing.lock_key
RETURNING standing.place, CASE WHEN held.waiting_until > clock_timestamp() THEN 0 END AS wanted,
	CASE WHEN held.waiting_until > clock_timestamp() THEN pg_notify('distributed_lock', held.lock_key) END
--- renew
UPDATE distributed_lock
SET expires_at = GREATEST(expires_at, clock_timestamp() + :ttl * INTERVAL '1 millisecond')
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > clock_timestamp() AND format = 1
RETURNING CASE WHEN waiting_until > clock_timestamp() THEN 0 END AS wanted
--- renew-all
WITH standing AS (
	SELECT held.lock_key, asked.ttl, asked.place
	FROM distributed_lock AS held
	JOIN unnest(CAST(:keys AS TEXT[]), CAST(:owners AS TEXT[]), CAST(:tokens AS BIGINT[]),
			CAST(:ttls AS BIGINT[])) WITH ORDINALITY AS asked (lock_key, owner, token, ttl, place)
		ON held.lock_key = asked.lock_key AND held.owner = asked.owner AND held.token = asked.token
	WHERE held.expires_at > clock_timestamp() AND held.format = 1
	ORDER BY held.lock_key
	FOR UPDATE OF held
)
UPDATE distributed_lock AS held
SET expires_at = GREATEST(held.expires_at, clock_timestamp() + standing.ttl * INTERVAL '1 millisecond')
FROM standing
WHERE held.lock_key = standing.lock_key
RETURNING standing.place, CASE WHEN held.waiting_until > clock_timestamp() THEN 0 END AS wanted
--- standing
SELECT token
FROM distributed_lock
WHERE lock_key = :key AND owner = :owner AND token = :token AND expires_at > clock_timestamp() AND format = 1
--- state
SELECT owner, token, CASE WHEN expires_at <= clock_timestamp() THEN 0 WHEN expires_at >= clock_timestamp() + 315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (expires_at - clock_timestamp())) * 1000) AS BIGINT) END AS rest, CASE WHEN acquired_at >= clock_timestamp() THEN 0 WHEN acquired_at <= clock_timestamp() + -315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (clock_timestamp() - acquired_at)) * 1000) AS BIGINT) END AS age, tick, CASE WHEN format = 1 AND expires_at <= clock_timestamp() AND shared_until > clock_timestamp() THEN 0 ELSE COALESCE(format, 0) END AS form
FROM distributed_lock
WHERE lock_key = :key
--- unused
SELECT lock_key
FROM distributed_lock
WHERE lock_key > :after AND format = 1 AND expires_at < clock_timestamp() + :unused * INTERVAL '1 millisecond'
	AND (acquired_at IS NULL OR acquired_at < clock_timestamp() + :unused * INTERVAL '1 millisecond') AND token < CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) - :micros
	AND (tick IS NULL OR (expires_at < clock_timestamp() + :ticked * INTERVAL '1 millisecond' AND (acquired_at IS NULL OR acquired_at < clock_timestamp() + :ticked * INTERVAL '1 millisecond')))
	AND (waiting_until IS NULL OR waiting_until < clock_timestamp()) AND (shared_until IS NULL OR shared_until < clock_timestamp())
ORDER BY lock_key
--- wanted
SELECT CASE WHEN waiting_until > clock_timestamp() THEN CASE WHEN waiting_until <= clock_timestamp() THEN 0 WHEN waiting_until >= clock_timestamp() + 315360000000 * INTERVAL '1 millisecond' THEN 315360000000 ELSE CAST(ceil(extract(epoch FROM (waiting_until - clock_timestamp())) * 1000) AS BIGINT) END END AS wanted
FROM distributed_lock
WHERE lock_key = :key
