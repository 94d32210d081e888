-- Reads the holder of a lock at one of several nodes.
-- In:  KEYS  lock, counter
-- Out: {value, rest in ms, counter or ''}; {} if the lock is free or cools down
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return {}
end
return { value, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or '' }
