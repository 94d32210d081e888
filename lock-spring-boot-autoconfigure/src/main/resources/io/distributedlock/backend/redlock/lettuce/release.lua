-- Releases one lock or several of their owner at one of several nodes, whatever the state of the node. Also releases an
-- attempt with an unknown outcome.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  k     the index of the first of its KEYS: lock, counter, mark of waiters of each lock
--      a     the index before the first of its ARGV: 1 the value of the locks, 2 cooldown in ms, 0 for none,
--            3 the tick to withdraw or '', which belongs to the last lock, 4 the channel, '' to notify no waiter
--      n     how many locks
-- Out: 1 released; 0 not all of them were that owner's, and those that were are released;
--      {1 or 0, error} released, but waiters can't be notified
local function release(k, a, n)
	local stands, awaited, stood = {}, {}, 1
	for i = 1, n do
		local name = k + 3 * i - 3
		stands[i] = redis.call('GET', KEYS[name]) == ARGV[a + 1]
		if not stands[i] then
			stood = 0
		elseif ARGV[a + 4] ~= '' then
			-- Read before the first write, so that a user without the right to read changes nothing.
			awaited[i] = redis.call('EXISTS', KEYS[name + 2]) == 1
		end
	end
	if stands[n] and ARGV[a + 3] ~= '' then
		local counter = KEYS[k + 3 * n - 2]
		local tokens, tick, before = string.match(redis.call('GET', counter) or '', '^(%d+/?%d*)|(%-?%d+)<(%-?%d*)$')
		if tick == ARGV[a + 3] then
			if before ~= '' then
				tokens = tokens .. '|' .. before
			end
			redis.call('SET', counter, tokens, 'KEEPTTL')
		end
	end
	local err
	for i = 1, n do
		local lock = KEYS[k + 3 * i - 3]
		if stands[i] then
			if ARGV[a + 2] == '0' then
				redis.call('DEL', lock)
			else
				redis.call('SET', lock, 'cooldown', 'PX', ARGV[a + 2])
			end
		end
		if awaited[i] then
			local told = redis.pcall('PUBLISH', ARGV[a + 4], lock)
			err = err or type(told) == 'table' and told.err
		end
	end
	return err and { stood, err } or stood
end
