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

-- Takes lock i of n and those after it. What a lock has is read on the way to the last one and written on the way back, so
-- that nothing is written before all are free, and a single lock needs no tables.
-- In:  busy the answer for the first lock that is not free, still without its rest, nil if there is none before this one
--      lowest, which: the greatest value that tokens must be above, of the locks before this one, and the index of that lock
local function take(k, a, i, n, busy, lowest, which)
	local name = k + 3 * i - 3
	local last, tick, open, before
	local stored = redis.call('GET', KEYS[name + 1])
	if stored then
		last, tick, open, before = readCounter(stored)
		if not last then
			return { 6, 'the counter ' .. string.sub(stored, 1, 64) }
		end
	end

	local value = ARGV[a + 1]
	local holder = redis.call('GET', KEYS[name])
	local mine = holder == value
	-- A group counts as a holder, with its kind as the value.
	if holder and not mine and not isKnown(holder) and not isGroup(holder) then
		return { 6, 'the lock ' .. string.sub(holder, 1, 64) }
	end
	local wanted = i == n and tonumber(ARGV[a + 5])
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
	if holder and not mine and not busy then
		busy = { 0, false, last or 0, hash(holder), i - 1 }
	end
	local least = leastOf(last)
	if least > lowest then
		lowest, which = least, i
	end

	local first, span = tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4])
	local answer
	if i < n then
		answer = take(k, a, i + 1, n, busy, lowest, which)
	elseif busy then
		if ARGV[a + 6] ~= '0' then
			redis.call('SET', KEYS[k + 3 * busy[5] + 2], '1', 'PX', ARGV[a + 6])
		end
		busy[2] = redis.call('PTTL', KEYS[k + 3 * busy[5]])
		return busy
	else
		if not token then
			token, latest = readMarks(redis.call('GET', KEYS[2]))
			if not token then
				return { 6, 'the high-water marks of the node' }
			end
		end
		if first + span - 1 >= LARGEST then
			return { 6, 'tokens above 2^53' }
		end
		answer = first > lowest and 1 or { 3, lowest, which - 1 }
	end
	if answer ~= 1 and (type(answer) ~= 'table' or answer[1] ~= 3) then
		return answer
	end

	if mine then
		-- Only a release brings an expiry nearer.
		local rest = redis.call('PTTL', KEYS[name])
		if rest >= 0 and rest < tonumber(ARGV[a + 2]) then
			redis.call('PEXPIRE', KEYS[name], ARGV[a + 2])
		end
	else
		redis.call('SET', KEYS[name], value, 'PX', ARGV[a + 2])
	end
	if answer ~= 1 then
		return answer
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
	store(KEYS[name + 1], counter, last, wanted or 0, keep)
	return 1
end

local function acquire(k, a, n)
	if votes == nil then
		votes = redis.call('GET', KEYS[1]) == ARGV[1]
	end
	if not votes then
		return 4
	end
	return take(k, a, 1, n, nil, floor, 1)
end
