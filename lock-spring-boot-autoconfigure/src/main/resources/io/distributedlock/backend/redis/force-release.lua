-- Takes a lock away from whoever holds it.
-- In:  KEYS  lock, mark
--      ARGV  1 channel, 2 what waiters are told
-- Out: {1} somebody held it; {0} nobody did
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return { 0 }
end
redis.call('DEL', KEYS[1])
if redis.call('EXISTS', KEYS[2]) == 1 then
	redis.call('PUBLISH', ARGV[1], ARGV[2])
end
return { 1 }
