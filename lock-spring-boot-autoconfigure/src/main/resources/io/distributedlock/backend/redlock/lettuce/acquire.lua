-- Asks one of several nodes for its vote on one lock or on several, all or none. May be sent again under the same owner id.
-- The simulation of the nodes in the tests does the same in the same order, so change both.
-- In:  k     the index of the first of its KEYS: lock, counter, mark of waiters of each lock
--      a     the index before the first of its ARGV: 1 the value that the locks get, 2 ttl in ms, 3 the first token that
--            is proposed for each of them, 4 how many tokens are requested, 5 tick in ms since 1970 or '', which belongs to
--            the last lock, 6 how long a waiter's mark stays in ms, 0 for none
--      n     how many locks
-- Out: 1 the locks and the tokens are the caller's here
--      {0, rest in ms, last token, short hash of the holder, which lock from 0 on} busy; the rest is negative if the key
--      never expires
--      {2, tick, short hash of the holder while it may withdraw the tick, else ''} this tick or a later one has run
--      {3, the value above which tokens must be, which lock} the locks are the caller's here, the tokens are not
--      4 the state is another one
--      5 the node may have forgotten whether this tick has run
--      {6, what was found} something has a form that this version does not write; nothing was changed
local function acquire(k, a, n)
	if votes == nil then
		votes = redis.call('GET', KEYS[1]) == ARGV[1]
	end
	if not votes then
		return 4
	end

	local value, wanted = ARGV[a + 1], tonumber(ARGV[a + 5])
	local lasts, ticks, mine = {}, {}, {}
	local open, before, busy, owner
	for i = 1, n do
		local name = k + 3 * i - 3
		local last, tick
		local stored = redis.call('GET', KEYS[name + 1])
		if stored then
			last, tick, open, before = readCounter(stored)
			if not last then
				return { 6, 'the counter ' .. string.sub(stored, 1, 64) }
			end
		else
			open, before = nil, nil
		end

		local holder = redis.call('GET', KEYS[name])
		mine[i] = holder == value
		-- A group counts as a holder, with its kind as the value.
		if holder and not mine[i] then
			if not isKnown(holder) and not isGroup(holder) then
				return { 6, 'the lock ' .. string.sub(holder, 1, 64) }
			end
			if not busy then
				busy, owner = i, holder
			end
		end
		if wanted and i == n and not mine[i] then
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
		lasts[i], ticks[i] = last, tick
	end

	if busy then
		local name = k + 3 * busy - 3
		if ARGV[a + 6] ~= '0' then
			redis.call('SET', KEYS[name + 2], '1', 'PX', ARGV[a + 6])
		end
		return { 0, redis.call('PTTL', KEYS[name]), lasts[busy] or 0, hash(owner), busy - 1 }
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
	local lowest, which = floor, 1
	for i = 1, n do
		local lock = KEYS[k + 3 * i - 3]
		if mine[i] then
			-- Only a release brings an expiry nearer.
			local rest = redis.call('PTTL', lock)
			if rest >= 0 and rest < tonumber(ARGV[a + 2]) then
				redis.call('PEXPIRE', lock, ARGV[a + 2])
			end
		else
			redis.call('SET', lock, value, 'PX', ARGV[a + 2])
		end
		local least = leastOf(lasts[i])
		if least > lowest then
			lowest, which = least, i
		end
	end
	if first <= lowest then
		return { 3, lowest, which - 1 }
	end

	local last = first + span - 1
	local tokens = ARGV[a + 3]
	if span > 1 then
		tokens = string.format('%.0f/%.0f', last, span)
	end
	for i = 1, n do
		local counter, tick, keep = tokens, ticks[i], retention
		local given = i == n and wanted
		if given then
			-- A repeated request keeps the tick from before the first one.
			if not (open == '<' and tick == given) then
				before = tick
			end
			tick = math.max(given, tick or given)
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
		store(KEYS[k + 3 * i - 2], counter, last, given or 0, keep)
	end
	return 1
end
