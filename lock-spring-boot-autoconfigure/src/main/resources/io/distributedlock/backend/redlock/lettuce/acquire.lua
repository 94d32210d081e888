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
	-- A group counts as a holder, with its kind as the value.
	if holder and not mine and not isKnown(holder) and not isGroup(holder) then
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
	store(KEYS[k + 1], counter, last, wanted or 0, keep)
	return 1
end
