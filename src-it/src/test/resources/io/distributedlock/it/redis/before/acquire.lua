-- Takes a lock that is free, and mints its fencing tokens. May be sent again under the same owner id.
-- In:  KEYS  lock, counter, mark; a fourth one, the state of the server, only if the script compares it first
--      ARGV  1 the value that the lock gets, 2 TTL in ms, 3 the requested number of tokens,
--            4 tick in ms since 1970 or '', 5 how long a waiter's mark stays in ms, 0 for no mark,
--            6 how long the counter is kept in ms, 7 the expected state
-- Out: {1, first token, number of tokens} granted
--      {0, rest in ms} busy; the rest is negative if the key never expires
--      {2, tick} this tick has run
--      {4} the server has another state
--      {5, value} the lock is free or this owner's, but this version does not understand the value of its counter
local DAY = 86400000

if KEYS[4] and redis.call('GET', KEYS[4]) ~= ARGV[7] then
	return { 4 }
end

-- All tokens are at least this, so a value of a later version can begin with a smaller number and is then no token.
local LEAST = 1000000
-- Above this, numbers of scripts are no longer exact.
local LARGEST = 9007199254740991

-- The counter is '<last token>[/<number of tokens>][|<tick>]', without the number if it is one. Any other value is
-- damaged or that of a later version. No token can follow it, and it is left unchanged.
local stored = redis.call('GET', KEYS[2])
local last, count, tick = nil, 1, nil
if stored then
	local digits, rest = string.match(stored, '^(%d+)(.*)$')
	if digits and rest ~= '' then
		local number, behind = string.match(rest, '^/(%d+)(.*)$')
		if number then
			count, rest = tonumber(number), behind
		end
		if rest ~= '' then
			tick = tonumber(string.match(rest, '^|(%-?%d+)$'))
			if not tick or math.abs(tick) > LARGEST then
				digits = nil
			end
		end
	end
	last = tonumber(digits)
	if not last or last < LEAST or last > LARGEST or count < 1 or count > last then
		last, tick = nil, nil
	end
end

local wanted = tonumber(ARGV[4])
local span = tonumber(ARGV[3])
local understood = not stored or last and last + span <= LARGEST
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

local keep = tonumber(ARGV[6])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- Without a counter, begin above a range that may have been granted just before it was lost: a range is no longer than
-- that. Ranges that are ahead of time, by a second at most, may still reach higher.
local first = last and math.max(now, last + 1) or now + 1024
if first > now + 1000000 then
	-- Tokens must not stay ahead of time permanently.
	span = 1
end

if wanted then
	tick = math.max(wanted, tick or wanted)
end
if tick then
	keep = math.max(keep, DAY)
end
last = first + span - 1
-- A number alone is written in full. Concatenated with text it would lose digits.
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
