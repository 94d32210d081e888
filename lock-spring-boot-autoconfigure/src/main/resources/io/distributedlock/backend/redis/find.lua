-- Tells who holds a lock.
-- In:  KEYS  lock, counter
-- Out: {value, rest in ms, counter or '', seconds and microseconds of the server's clock}; {} if nobody holds it
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return {}
end
local time = redis.call('TIME')
return { value, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or '', time[1], time[2] }
