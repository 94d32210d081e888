-- Asks one of several nodes for its vote on a member of one group or of several, all or none. May be sent again under the same
-- owner id.
-- The simulation of the nodes in the tests does the same in the same order, so change both.
-- In:  KEYS  for each lock from 3 on: lock, counter, mark of waiters, members, their tokens, door
--      ARGV  5 the value of the member, 6 ttl in ms, 7 the first token that is proposed for each lock, 8 how many tokens are
--            requested, 9 the kind of the groups, 10 how many members there may be, 0 for any number,
--            11 how long a waiter's mark stays in ms, 0 for none
-- Out: {1, others} it is a member here, and the tokens are its own; for a limited number, the first 16 digits of the owner
--      ids of all others
--      {0, rest in ms, last token, short hash of what is in the way, which lock from 0 on} busy; the rest is negative if the
--      key never expires
--      {3, the value above which tokens must be, which lock} it may enter with other tokens
--      {4} the state is another one
--      {6, what was found} something has a form that this version does not write; nothing was changed
--      {8, rest in ms, last token, others} there are as many members as may be, at least until the rest is over
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return { 4 }
end
local value, kind, permits = ARGV[5], ARGV[9], tonumber(ARGV[10])
local locks = (#KEYS - 2) / 6
local lasts, ticks, held, others = {}, {}, {}, {}
local refusal, refused

local function refuse(answer, mark)
	if not refusal then
		refusal, refused = answer, mark
	end
end

for i = 1, locks do
	local k = 6 * i - 3
	local last
	local stored = redis.call('GET', KEYS[k + 1])
	if stored then
		last, ticks[i] = readCounter(stored)
		if not last then
			return { 6, 'the counter ' .. string.sub(stored, 1, 64) }
		end
	end
	lasts[i] = last

	local holder = redis.call('GET', KEYS[k])
	held[i] = holder
	if holder and holder ~= kind then
		if not isKnown(holder) and not isGroup(holder) then
			return { 6, 'the lock ' .. string.sub(holder, 1, 64) }
		end
		refuse({ 0, redis.call('PTTL', KEYS[k]), last or 0, hash(holder), i - 1 }, KEYS[k + 2])
	else
		local mine = holder and expiry(KEYS[k + 3], value)
		local rest = mine and 0 or closed(KEYS[k + 5])
		if rest > 0 then
			refuse({ 0, rest, last or 0, hash('door'), i - 1 }, KEYS[k + 2])
		elseif permits > 0 and holder then
			local expiries = {}
			local live = redis.call('ZRANGE', KEYS[k + 3], '(' .. now, '+inf', 'BYSCORE', 'WITHSCORES')
			for j = 1, #live, 2 do
				if live[j] ~= value then
					others[#others + 1] = string.sub(string.gsub(live[j], '^cooldown:', ''), 1, 16)
					expiries[#expiries + 1] = live[j + 1]
				end
			end
			if not mine and #others >= permits then
				refuse({ 8, expiries[#expiries - permits + 1] - now, last or 0, table.concat(others) }, KEYS[k + 2])
			end
		end
	end
end
if refusal then
	if ARGV[11] ~= '0' then
		redis.call('SET', refused, '1', 'PX', ARGV[11])
	end
	return refusal
end

local first, span = tonumber(ARGV[7]), tonumber(ARGV[8])
token, latest = readMarks(redis.call('GET', KEYS[2]))
if not token then
	return { 6, 'the high-water marks of the node' }
end
if first + span - 1 >= LARGEST then
	return { 6, 'tokens above 2^53' }
end
local lowest, which = floor, 1
for i = 1, locks do
	local least = leastOf(lasts[i])
	if least > lowest then
		lowest, which = least, i
	end
end
if first <= lowest then
	-- Unlike an exclusive lock, so that a late request leaves no member that a renewal would count.
	return { 3, lowest, which - 1 }
end

local last = first + span - 1
local tokens = string.format(span > 1 and '%.0f/%.0f' or '%.0f', last, span)
for i = 1, locks do
	local k = 6 * i - 3
	admit(held[i], KEYS[k], KEYS[k + 3], KEYS[k + 4], kind, value, tonumber(ARGV[6]), tokens)
	if ticks[i] then
		store(KEYS[k + 1], tokens .. string.format('|%.0f', ticks[i]), last, 0, math.max(retention, DAY))
	else
		store(KEYS[k + 1], tokens, last, 0, retention)
	end
end
return { 1, table.concat(others) }
