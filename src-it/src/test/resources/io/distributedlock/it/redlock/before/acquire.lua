-- The forms that this version writes. A value of another form was written by a later version or is damaged. It counts as
-- taken and is not changed.

-- 2^53: from there on, doubles can't represent every integer.
local LARGEST = 9007199254740992

local function readNumber(digits)
	local number = tonumber(digits)
	return number and math.abs(number) < LARGEST and number
end

-- Reads a counter: '<last token>[/<number of tokens>][|<tick>[<[<previous tick>]]]'. With '<' the tick may be withdrawn.
-- Returns the last token, the tick, '<' or '', and the previous tick; nil if it has another form.
local function readCounter(stored)
	if not string.find(stored, '%D') then
		return readNumber(stored) or nil
	end
	local digits, rest = string.match(stored, '^(%d+)/%d+(.*)$')
	if not digits then
		digits, rest = string.match(stored, '^(%d+)(.*)$')
	end
	local last = digits and readNumber(digits)
	if not last or rest == '' then
		return last or nil
	end
	local tick, open, before = string.match(rest, '^|(%-?%d+)(<?)(%-?%d*)$')
	tick = tick and readNumber(tick)
	if not tick or open == '' and before ~= '' or before ~= '' and not readNumber(before) then
		return nil
	end
	return last, tick, open, tonumber(before)
end

-- Reads the high-water marks of a node. Returns token and tick; nil if they have another form.
local function readMarks(stored)
	local token, tick = string.match(stored or '0:0', '^(%d+):(%d+)$')
	token, tick = token and readNumber(token), tick and readNumber(tick)
	if not token or not tick then
		return nil
	end
	return token, tick
end

-- Returns whether a lock has a holder or a cooldown of this version.
local function isKnown(value)
	return value == 'cooldown' or string.find(value, '^%x+|') ~= nil
end

local function unknown(what, stored)
	return redis.error_reply('UNKNOWNFORM ' .. what .. ' ' .. string.sub(stored, 1, 64))
end
-- The node's TIME in microseconds.
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]

-- What the votes of one step share.
-- In:  KEYS  1 state of the node, 2 its high-water marks
--      ARGV  1 the expected state, 2 and 3 the floors of tokens and ticks that it names, 4 how long counters are kept in ms
local floor, tickFloor, retention = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

-- Whether the state is the expected one, and the high-water marks, once they are read. The first vote reads them, so that
-- an error concerns votes only.
local votes, token, latest

-- Asks one of several nodes for its vote. May be sent again under the same owner id.
-- The simulation of the nodes in the tests does the same in the same order, so change both.
-- In:  k     the index of the first of its KEYS: lock, counter, mark of waiters
--      a     the index before the first of its ARGV: 1 the value that the lock gets, 2 ttl in ms, 3 the first token that
--            is proposed, 4 how many tokens are requested, 5 tick in ms since 1970 or '',
--            6 how long a waiter's mark stays in ms, 0 for none
-- Out: 1 the lock and the tokens are the caller's here
--      {0, rest in ms, last token, short hash of the holder} busy; the rest is negative if the key never expires
--      {2, tick, short hash of the holder while it may withdraw the tick, else ''} this tick or a later one has run
--      {3, the value above which tokens must be} the lock is the caller's here, the tokens are not
--      4 the state is another one
--      5 the node may have forgotten whether this tick has run
--      {6, what was found} something has a form that this version does not write; nothing was changed
local DAY = 86400000

-- The high-water mark is written this far ahead, in microseconds, so that most acquisitions need not write it.
local AHEAD = 100000

local function hash(holder)
	return string.sub(redis.sha1hex(holder), 1, 12)
end

local function acquire(k, a)
	if votes == nil then
		votes = redis.call('GET', KEYS[1]) == ARGV[1]
	end
	if not votes then
		return 4
	end

	local last, tick, open, before
	local stored = redis.call('GET', KEYS[k + 1])
	if stored then
		last, tick, open, before = readCounter(stored)
		if not last then
			return { 6, 'the counter ' .. string.sub(stored, 1, 64) }
		end
	end

	local value = ARGV[a + 1]
	local holder = redis.call('GET', KEYS[k])
	local mine = holder == value
	-- Groups of a later version count as holders.
	if holder and not mine and not isKnown(holder) and holder ~= 'shared' and holder ~= 'permits' then
		return { 6, 'the lock ' .. string.sub(holder, 1, 64) }
	end
	local wanted = tonumber(ARGV[a + 5])
	if wanted and not mine then
		if tick and wanted <= tick then
			if holder and holder ~= 'cooldown' and open == '<' then
				if before and wanted <= before then
					return { 2, before, '' }
				end
				return { 2, tick, hash(holder) }
			end
			return { 2, tick, '' }
		end
		-- A tick before 1970 is a mark, which is written anew if it was forgotten.
		if wanted >= 0 and wanted <= tickFloor then
			return 5
		end
	end

	if holder and not mine then
		if ARGV[a + 6] ~= '0' then
			redis.call('SET', KEYS[k + 2], '1', 'PX', ARGV[a + 6])
		end
		return { 0, redis.call('PTTL', KEYS[k]), last or 0, hash(holder) }
	end
	local first, span = tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4])
	if not token then
		token, latest = readMarks(redis.call('GET', KEYS[2]))
		if not token then
			return { 6, 'the high-water marks of the node' }
		end
	end
	if first + span - 1 >= LARGEST then
		return { 6, 'tokens above 2^53' }
	end
	if mine then
		-- Only a release brings an expiry nearer.
		local rest = redis.call('PTTL', KEYS[k])
		if rest >= 0 and rest < tonumber(ARGV[a + 2]) then
			redis.call('PEXPIRE', KEYS[k], ARGV[a + 2])
		end
	else
		redis.call('SET', KEYS[k], value, 'PX', ARGV[a + 2])
	end

	if not last then
		-- Forgotten tokens lie further back than half of the retention.
		local least = micros - retention * 500
		if first <= least then
			return { 3, least }
		end
	end
	local lowest = math.max(last or 0, floor)
	if first <= lowest then
		return { 3, lowest }
	end

	last = first + span - 1
	local keep = retention
	local counter = ARGV[a + 3]
	if span > 1 then
		counter = string.format('%.0f/%.0f', last, span)
	end
	if wanted then
		-- A repeated request keeps the tick from before the first one.
		if not (open == '<' and tick == wanted) then
			before = tick
		end
		tick = math.max(wanted, tick or wanted)
		counter = counter .. string.format('|%.0f<', tick)
		if before then
			counter = counter .. string.format('%.0f', before)
		end
	elseif tick then
		counter = counter .. string.format('|%.0f', tick)
	end
	if tick then
		keep = math.max(keep, DAY)
	end
	if last > token or (wanted or 0) > latest then
		-- Before the counter: tokens that are acknowledged must not be above the mark.
		local ahead, later = math.max(token, math.min(last + AHEAD, LARGEST - 1)), math.max(latest, wanted or 0)
		redis.call('SET', KEYS[2], string.format('%.0f:%.0f', ahead, later))
		-- Only now: if the node refuses the write, the next call must not rely on it.
		token, latest = ahead, later
	end
	redis.call('SET', KEYS[k + 1], counter, 'PXAT', string.format('%.0f', math.floor(last / 1000) + keep))
	return 1
end
return { micros, acquire(3, 4) }
