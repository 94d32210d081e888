-- Releases the lease of a member, or of an attempt for which it is unknown whether it was granted. After group.lua.
-- In:  KEYS  1 members, 2 lock, 3 tokens, 4 door, 5 mark; or the members alone, while their slot is moving
--      ARGV  1 the member, 2 the value of the lock, 3 the last token of the lease, '' for any, 4 cooldown in ms, 0 for
--            none, 5 channel, 6 message for waiters
-- Out: {1, for how many ms a waiter keeps the door closed} released; {1, the same, error} released, but waiters could
--      not be notified; {0} the member had no lease
if KEYS[2] and redis.call('GET', KEYS[2]) ~= ARGV[2] then
	return { 0 }
end
local present = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]))
if not present or present <= millis then
	return { 0 }
end
local range = KEYS[3] and ARGV[3] ~= '' and redis.call('HGET', KEYS[3], ARGV[1])
if range and string.match(range, '^%d+') ~= ARGV[3] then
	return { 0 }
end

redis.call('ZREM', KEYS[1], ARGV[1])
if ARGV[4] ~= '0' then
	-- Keeps the place of the member, without an owner.
	redis.call('ZADD', KEYS[1], millis + ARGV[4], 'cooldown:' .. string.match(ARGV[1], '^[^|]*'))
end
if not KEYS[2] then
	-- The lock stays until the latest end that it had, because others may have entered meanwhile.
	return { 1, 0 }
end
redis.call('HDEL', KEYS[3], ARGV[1])
purge(KEYS[1], KEYS[3])
local shut = closed(redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES'))
local ends = latest(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES'))
local ended = not ends or ends <= millis
if ended then
	redis.call('DEL', KEYS[2], KEYS[1], KEYS[3])
else
	settle(KEYS[2], KEYS[1], KEYS[3], ends)
end
-- Waiters have to know when a place is free, and when the group ends earlier than they have been told.
if (ended or ARGV[2] == 'permits' or ends < present) and redis.call('EXISTS', KEYS[5]) == 1 then
	local told = redis.pcall('PUBLISH', ARGV[5], ARGV[6])
	if type(told) == 'table' then
		return { 1, shut, told.err }
	end
	if ended then
		-- If waiters that are notified by now do not return, the door opens soon.
		for _, waiter in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
			if string.find(waiter, '|notified', 1, true) then
				redis.call('ZADD', KEYS[4], 'XX', 'LT', millis + 100, waiter)
			end
		end
	end
end
return { 1, shut }
