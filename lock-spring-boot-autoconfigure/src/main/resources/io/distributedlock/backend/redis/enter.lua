-- Enters a group, or begins one where the lock is free. May be sent again under the same owner id. Between group.lua and
-- counter.lua, and mint.lua.
-- In:  KEYS  1 lock, 2 counter, 3 mark, 4 members, 5 tokens, 6 door
--      ARGV  1 the member, 2 TTL in ms, 3 the requested number of tokens, 4 the value of the lock: 'shared' or
--            'permits', 5 how long a waiter's mark stays in ms, 0 for no mark, 6 how long the counter is kept in ms,
--            7 the greatest number of members, 0 for any
-- Out: {1, first token, number of tokens} granted
--      {0, rest in ms} busy; the rest is negative if the key never expires
--      {4} the server has another state
--      {5, value} the member may enter, but this version does not understand the value of the counter
local ends = millis + ARGV[2]
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[4] then
	local present = tonumber(redis.call('ZSCORE', KEYS[4], ARGV[1]))
	local range = present and present > millis and redis.call('HGET', KEYS[5], ARGV[1])
	if range then
		-- Sent again: the expiry may move further away, but only a release may bring it nearer.
		redis.call('ZADD', KEYS[4], 'XX', 'GT', ends, ARGV[1])
		settle(KEYS[1], KEYS[4], KEYS[5], latest(redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')))
		local granted, number = string.match(range, '^(%d+)/?(%d*)$')
		number = tonumber(number) or 1
		return { 1, granted - number + 1, number }
	end
end

local rest = nil
if holder and holder ~= ARGV[4] then
	rest = redis.call('PTTL', KEYS[1])
else
	local shut = closed(redis.call('ZRANGE', KEYS[6], -1, -1, 'WITHSCORES'))
	local live = '(' .. millis
	if shut > 0 then
		rest = shut
	elseif holder and ARGV[7] ~= '0' and redis.call('ZCOUNT', KEYS[4], live, '+inf') >= tonumber(ARGV[7]) then
		rest = redis.call('ZRANGE', KEYS[4], live, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')[2] - millis
	end
end
if rest then
	if ARGV[5] ~= '0' then
		local mark = redis.call('GET', KEYS[3])
		if not mark or mark == '1' then
			redis.call('SET', KEYS[3], '1', 'PX', ARGV[5])
		end
	end
	return { 0, rest }
end
if not understood then
	return { 5, stored }
end
