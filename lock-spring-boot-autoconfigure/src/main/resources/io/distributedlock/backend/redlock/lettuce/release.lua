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
	local stood, err = 1, nil
	local final = k + 3 * n - 3
	for name = k, final, 3 do
		if redis.call('GET', KEYS[name]) ~= ARGV[a + 1] then
			stood = 0
		else
			-- Read before the first write, so that a user without the right to read changes nothing.
			local awaited = ARGV[a + 4] ~= '' and redis.call('EXISTS', KEYS[name + 2]) == 1
			if name == final and ARGV[a + 3] ~= '' then
				local stored = redis.call('GET', KEYS[name + 1])
				local tokens, tick, before = string.match(stored or '', '^(%d+/?%d*)|(%-?%d+)<(%-?%d*)$')
				if tick == ARGV[a + 3] then
					if before ~= '' then
						tokens = tokens .. '|' .. before
					end
					redis.call('SET', KEYS[name + 1], tokens, 'KEEPTTL')
				end
			end
			if ARGV[a + 2] == '0' then
				redis.call('DEL', KEYS[name])
			else
				redis.call('SET', KEYS[name], 'cooldown', 'PX', ARGV[a + 2])
			end
			if awaited then
				local told = redis.pcall('PUBLISH', ARGV[a + 4], KEYS[name])
				err = err or type(told) == 'table' and told.err
			end
		end
	end
	return err and { stood, err } or stood
end
