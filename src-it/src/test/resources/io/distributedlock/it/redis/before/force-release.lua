-- Takes a lock away from its holder, and begins a cooldown, which has no owner.
-- In:  KEYS  lock, mark
--      ARGV  1 cooldown in ms, 0 for none, 2 channel, 3 message for waiters
-- Out: {1} the lock had a holder; {1, error} it had one, but waiters could not be notified; {0} it had no holder
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return { 0 }
end
if ARGV[1] == '0' then
	redis.call('DEL', KEYS[1])
else
	redis.call('SET', KEYS[1], 'cooldown', 'PX', ARGV[1])
end
if redis.call('EXISTS', KEYS[2]) == 1 then
	local told = redis.pcall('PUBLISH', ARGV[2], ARGV[3])
	if type(told) == 'table' then
		return { 1, told.err }
	end
end
return { 1 }
