-- Takes a lock that nobody has, and mints its fencing tokens. May be sent again under the same owner id.
-- In:  KEYS  lock, counter, mark; a fourth one, the state of the server, only where it is to be compared first
--      ARGV  1 the value that the lock gets, 2 ttl in ms, 3 how many tokens are asked for,
--            4 tick in ms since 1970 or '', 5 how long a waiter's mark stays in ms, 0 for none,
--            6 how long the counter is kept in ms, 7 the expected state
-- Out: {1, first token, number of tokens} granted
--      {0, rest in ms} busy; the rest is negative where the key never expires.
--      {2, tick} this tick has run
--      {4} the state is another one
local DAY = 86400000

if KEYS[4] and redis.call('GET', KEYS[4]) ~= ARGV[7] then
	return { 4 }
end

-- The counter is '<last token>[/<number of tokens>][|<tick>]'; one token is not counted.
local function remembered()
	local stored = redis.call('GET', KEYS[2])
	if not stored then
		return nil
	end
	local last = tonumber(stored)
	if last then
		return last, 1, nil
	end
	local digits, count, tick = string.match(stored, '^(%d+)/?(%d*)|?(%-?%d*)$')
	return tonumber(digits), tonumber(count) or 1, tonumber(tick)
end

local wanted = tonumber(ARGV[4])
local last, count, tick
local mine = false
if wanted then
	last, count, tick = remembered()
	mine = redis.call('GET', KEYS[1]) == ARGV[1]
	if tick and wanted <= tick and not mine then
		return { 2, tick }
	end
end

local taken = not mine and redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if not taken and not mine then
	local holder = redis.call('GET', KEYS[1])
	if holder ~= ARGV[1] then
		local rest = redis.call('PTTL', KEYS[1])
		if ARGV[5] ~= '0' then
			redis.call('SET', KEYS[3], '1', 'PX', ARGV[5])
		end
		return { 0, rest }
	end
	mine = true
end
if not wanted then
	last, count, tick = remembered()
end
if mine then
	-- Sent again: nothing but a release brings an expiry nearer.
	local rest = redis.call('PTTL', KEYS[1])
	if rest >= 0 and rest < tonumber(ARGV[2]) then
		redis.call('PEXPIRE', KEYS[1], ARGV[2])
	end
	if last then
		return { 1, last - count + 1, count }
	end
end

local keep = tonumber(ARGV[6])
local span = tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- Above what may have been granted just before a counter was lost: a range is no longer than that.
local first = last and math.max(now, last + 1) or now + 1024
if first > now + 1000000 then
	-- Tokens must not outrun time for good.
	span = 1
end

if wanted then
	tick = math.max(wanted, tick or wanted)
end
if tick then
	keep = math.max(keep, DAY)
end
last = first + span - 1
-- As a number it is written in full; put together with text it would lose digits.
local value = last
if span > 1 or tick then
	value = string.format('%.0f', last)
	if span > 1 then
		value = value .. '/' .. string.format('%.0f', span)
	end
	if tick then
		value = value .. '|' .. string.format('%.0f', tick)
	end
end
redis.call('SET', KEYS[2], value, 'PXAT', math.floor(last / 1000) + keep)
return { 1, first, span }
