-- Asks one of several nodes for its vote on a member of a group. May be sent again under the same owner id.
-- The simulation of the nodes in the tests does the same in the same order, so change both.
-- In:  KEYS  3 lock, 4 counter, 5 mark of waiters, 6 members, 7 their tokens, 8 door
--      ARGV  5 the value of the member, 6 ttl in ms, 7 the first token that is proposed, 8 how many tokens are requested,
--            9 the kind of the group, 10 how many members there may be, 0 for any number,
--            11 how long a waiter's mark stays in ms, 0 for none
-- Out: {1, others} it is a member here, and the tokens are its own; for a limited number, the first 16 digits of the owner
--      ids of all others
--      {0, rest in ms, last token, short hash of what is in the way} busy; the rest is negative if the key never expires
--      {3, the value above which tokens must be} it may enter with other tokens
--      {4} the state is another one
--      {6, what was found} something has a form that this version does not write; nothing was changed
--      {8, rest in ms, last token, others} there are as many members as may be, at least until the rest is over
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return { 4 }
end
local last, tick
local stored = redis.call('GET', KEYS[4])
if stored then
	last, tick = readCounter(stored)
	if not last then
		return { 6, 'the counter ' .. string.sub(stored, 1, 64) }
	end
end

local value, kind, permits = ARGV[5], ARGV[9], tonumber(ARGV[10])
local function busy(answer)
	if ARGV[11] ~= '0' then
		redis.call('SET', KEYS[5], '1', 'PX', ARGV[11])
	end
	return answer
end

local holder = redis.call('GET', KEYS[3])
if holder and holder ~= kind then
	if not isKnown(holder) and not isGroup(holder) then
		return { 6, 'the lock ' .. string.sub(holder, 1, 64) }
	end
	return busy({ 0, redis.call('PTTL', KEYS[3]), last or 0, hash(holder) })
end
local mine = holder and expiry(KEYS[6], value)
if not mine then
	local rest = closed(KEYS[8])
	if rest > 0 then
		return busy({ 0, rest, last or 0, hash('door') })
	end
end

local others = {}
if permits > 0 and holder then
	local expiries = {}
	local live = redis.call('ZRANGE', KEYS[6], '(' .. now, '+inf', 'BYSCORE', 'WITHSCORES')
	for i = 1, #live, 2 do
		if live[i] ~= value then
			others[#others + 1] = string.sub(string.gsub(live[i], '^cooldown:', ''), 1, 16)
			expiries[#expiries + 1] = live[i + 1]
		end
	end
	if not mine and #others >= permits then
		return busy({ 8, expiries[#expiries - permits + 1] - now, last or 0, table.concat(others) })
	end
end

local first, span = tonumber(ARGV[7]), tonumber(ARGV[8])
token, latest = readMarks(redis.call('GET', KEYS[2]))
if not token then
	return { 6, 'the high-water marks of the node' }
end
if first + span - 1 >= LARGEST then
	return { 6, 'tokens above 2^53' }
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
	-- Unlike an exclusive lock, so that a late request leaves no member that a renewal would count.
	return { 3, lowest }
end

last = first + span - 1
local tokens = string.format(span > 1 and '%.0f/%.0f' or '%.0f', last, span)
admit(holder, KEYS[3], KEYS[6], KEYS[7], kind, value, tonumber(ARGV[6]), tokens)
if tick then
	store(KEYS[4], tokens .. string.format('|%.0f', tick), last, 0, math.max(retention, DAY))
else
	store(KEYS[4], tokens, last, 0, retention)
end
return { 1, table.concat(others) }
