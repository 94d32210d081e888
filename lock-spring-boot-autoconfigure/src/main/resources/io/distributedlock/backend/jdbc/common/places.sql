-- Counts the members of a key, and the places that cooldowns keep.
-- In: key.
-- Out: places, rest (ms until the first of them is free), age (of the oldest one, in ms).
SELECT COUNT(*) AS places, MIN(@@rest@@) AS rest, MAX(@@age@@) AS age
FROM @@reader_table@@
WHERE lock_key = :key AND expires_at > @@now@@
