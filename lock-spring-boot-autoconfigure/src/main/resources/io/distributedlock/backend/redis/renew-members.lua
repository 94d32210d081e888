-- Lengthens leases of members that have not expired. After group.lua.
-- In:  KEYS  lock, members, tokens and door of each lease
--      ARGV  the value of the lock, the member and the TTL in ms of each lease; a TTL of 0 only asks
-- Out: {for each lease: 0 it has ended, 1 it stands, negative it stands and a waiter has closed the door for these ms}
local outcomes = {}
for i = 1, #KEYS / 4 do
	local lock, members, tokens, door = KEYS[4 * i - 3], KEYS[4 * i - 2], KEYS[4 * i - 1], KEYS[4 * i]
	local kind, member, ttl = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
	local present = nil
	if redis.call('GET', lock) == kind then
		present = tonumber(redis.call('ZSCORE', members, member))
	end
	if present and present > millis then
		local ends = millis + ttl
		if ends > present and ttl ~= '0' then
			-- First, because it is allowed even if the memory of the server is full, and then so is the next step.
			settle(lock, members, tokens, math.max(ends, latest(redis.call('ZRANGE', members, -1, -1, 'WITHSCORES'))))
			redis.call('ZADD', members, 'XX', 'GT', ends, member)
		end
		local shut = closed(redis.call('ZRANGE', door, -1, -1, 'WITHSCORES'))
		outcomes[i] = (shut > 0) and -shut or 1
	else
		outcomes[i] = 0
	end
end
return outcomes
