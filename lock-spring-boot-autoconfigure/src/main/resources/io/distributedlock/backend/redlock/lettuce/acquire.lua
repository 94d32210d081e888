-- Asks one of several nodes for its vote. May be sent again under the same owner id.
-- The simulation of the nodes in the tests does the same in the same order, so change both.
-- In:  KEYS  lock, counter, mark of waiters, state of the node, its high-water marks
--      ARGV  1 the expected state, 2 and 3 the floors of tokens and ticks that it names,
--            4 the value that the lock gets, 5 ttl in ms, 6 the first token that is proposed,
--            7 how many tokens are requested, 8 tick in ms since 1970 or '',
--            9 how long a waiter's mark stays in ms, 0 for none, 10 how long the counter is kept in ms
-- Out: {1} the lock and the tokens are the caller's here
--      {0, rest in ms, last token, short hash of the holder} busy; the rest is negative if the key never expires
--      {2, tick, short hash of the holder while it may withdraw the tick, else ''} this tick or a later one has run
--      {3, the value above which tokens must be} the lock is the caller's here, the tokens are not
--      {4} the state is another one
--      {5} the node may have forgotten whether this tick has run
--      {6, what was found} something has a form that this version does not write; nothing was changed
local DAY = 86400000

if redis.call('GET', KEYS[4]) ~= ARGV[1] then
	return { 4 }
end

local last, tick, open, before
local stored = redis.call('GET', KEYS[2])
if stored then
	last, tick, open, before = readCounter(stored)
	if not last then
		return { 6, 'the counter ' .. string.sub(stored, 1, 64) }
	end
end

local function hash(holder)
	return string.sub(redis.sha1hex(holder), 1, 12)
end

local holder = redis.call('GET', KEYS[1])
local mine = holder == ARGV[4]
-- Groups of a later version count as holders.
if holder and not mine and not isKnown(holder) and holder ~= 'shared' and holder ~= 'permits' then
	return { 6, 'the lock ' .. string.sub(holder, 1, 64) }
end
local wanted = tonumber(ARGV[8])
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
	if wanted >= 0 and wanted <= tonumber(ARGV[3]) then
		return { 5 }
	end
end

if holder and not mine then
	if ARGV[9] ~= '0' then
		redis.call('SET', KEYS[3], '1', 'PX', ARGV[9])
	end
	return { 0, redis.call('PTTL', KEYS[1]), last or 0, hash(holder) }
end
local first, span = tonumber(ARGV[6]), tonumber(ARGV[7])
local token, latest = readMarks(redis.call('GET', KEYS[5]))
if not token then
	return { 6, 'the high-water marks of the node' }
end
if first + span - 1 >= LARGEST then
	return { 6, 'tokens above 2^53' }
end
if mine then
	-- Only a release brings an expiry nearer.
	local rest = redis.call('PTTL', KEYS[1])
	if rest >= 0 and rest < tonumber(ARGV[5]) then
		redis.call('PEXPIRE', KEYS[1], ARGV[5])
	end
else
	redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
end

local keep = tonumber(ARGV[10])
if not last then
	-- Forgotten tokens lie further back than half of the retention.
	local time = redis.call('TIME')
	local least = time[1] * 1000000 + time[2] - keep * 500
	if first <= least then
		return { 3, least }
	end
end
local lowest = math.max(last or 0, tonumber(ARGV[2]))
if first <= lowest then
	return { 3, lowest }
end

last = first + span - 1
local value = string.format('%.0f', last)
if span > 1 then
	value = value .. '/' .. string.format('%.0f', span)
end
if wanted then
	-- A repeated request keeps the tick from before the first one.
	if not (open == '<' and tick == wanted) then
		before = tick
	end
	tick = math.max(wanted, tick or wanted)
	value = value .. '|' .. string.format('%.0f', tick) .. '<'
	if before then
		value = value .. string.format('%.0f', before)
	end
elseif tick then
	value = value .. '|' .. string.format('%.0f', tick)
end
if tick then
	keep = math.max(keep, DAY)
end
redis.call('SET', KEYS[2], value, 'PXAT', string.format('%.0f', math.floor(last / 1000) + keep))

redis.call('SET', KEYS[5], string.format('%.0f:%.0f', math.max(token, last), math.max(latest, wanted or 0)))
return { 1 }
