-- Takes a lock that is free. May be sent again under the same owner id. Between counter.lua and mint.lua.
-- In:  KEYS  1 lock, 2 counter, 3 mark; 4 door, only if the caller has met a group before
--      ARGV  1 the value that the lock gets, 2 TTL in ms, 3 the requested number of tokens,
--            4 tick in ms since 1970 or '', 5 how long a waiter's mark stays in ms, 0 for no mark,
--            6 how long the counter is kept in ms; only with a door: 7 the waiter's name, with '|notified' if
--            releases wake it, 8 the longest time in ms after which it attempts again
-- Out: {1, first token, number of tokens} granted
--      {0, rest in ms} busy; the rest is negative if the key never expires
--      {2, tick} this tick has run
--      {4} the server has another state
--      {5, value} the lock is free or this owner's, but this version does not understand the value of its counter
--      {6} busy: a group has the lock, and the waiter has to name the door
local wanted = tonumber(ARGV[4])
local mine = false
if wanted or not understood then
	local holder = redis.call('GET', KEYS[1])
	mine = holder == ARGV[1]
	if not understood and (mine or not holder) then
		return { 5, stored }
	end
	if wanted and tick and wanted <= tick and not mine then
		return { 2, tick }
	end
end

local taken = not mine and redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if not taken and not mine then
	local holder = redis.call('GET', KEYS[1])
	if holder ~= ARGV[1] then
		local rest = redis.call('PTTL', KEYS[1])
		if ARGV[5] ~= '0' then
			local mark = redis.call('GET', KEYS[3])
			if not mark or mark == '1' then
				redis.call('SET', KEYS[3], '1', 'PX', ARGV[5])
			end
			if holder == 'shared' or holder == 'permits' then
				if not KEYS[4] then
					return { 6 }
				end
				local sleep = tonumber(ARGV[8])
				if rest >= 0 and rest < sleep then
					sleep = rest
				end
				local time = redis.call('TIME')
				-- A user without this right can't keep new members out, but waits all the same.
				redis.pcall('ZADD', KEYS[4], time[1] * 1000 + math.ceil(time[2] / 1000) + sleep + 1000, ARGV[7])
				redis.call('PEXPIRE', KEYS[4], ARGV[5])
			end
		end
		return { 0, rest }
	end
	mine = true
end
if mine then
	-- Sent again: the expiry may move further away, but only a release may bring it nearer.
	local rest = redis.call('PTTL', KEYS[1])
	if rest >= 0 and rest < tonumber(ARGV[2]) then
		redis.call('PEXPIRE', KEYS[1], ARGV[2])
	end
	if last then
		return { 1, last - count + 1, count }
	end
end
if wanted then
	tick = math.max(wanted, tick or wanted)
end
