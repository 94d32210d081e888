-- Takes a lock away from its holder, or from all members of a group, and begins a cooldown, which has no owner.
-- In:  KEYS  1 lock, 2 mark, 3 members, 4 tokens
--      ARGV  1 cooldown in ms, 0 for none, 2 channel, 3 message for waiters
-- Out: {1} the lock had a holder; {1, error} it had one, but waiters could not be notified; {0} it had no holder
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return { 0 }
end
if value == 'shared' or value == 'permits' then
	local time = redis.call('TIME')
	local millis = time[1] * 1000 + math.floor(time[2] / 1000)
	local places = redis.call('ZRANGE', KEYS[3], '(' .. millis, '+inf', 'BYSCORE')
	local held = false
	for _, member in ipairs(places) do
		-- The place of a member that was released with a cooldown has no owner.
		held = held or string.sub(member, 1, 9) ~= 'cooldown:'
	end
	if not held then
		if #places == 0 then
			-- The last member left while its slot was moving.
			redis.call('DEL', KEYS[1])
		end
		return { 0 }
	end
	redis.call('DEL', KEYS[3], KEYS[4])
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
