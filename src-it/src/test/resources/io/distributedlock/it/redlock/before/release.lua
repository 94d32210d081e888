-- The node's TIME in microseconds.
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]

-- Releases a lock of its owner at one of several nodes, whatever the state of the node. Also releases an attempt with an
-- unknown outcome.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  k     the index of the first of its KEYS: lock, counter, mark of waiters
--      a     the index before the first of its ARGV: 1 the value of the lock, 2 cooldown in ms, 0 for none,
--            3 the tick to withdraw or '', 4 the channel, '' to notify no waiter
-- Out: 1 released; 0 it was not that owner's; {1, error} released, but waiters can't be notified
local function release(k, a)
	if redis.call('GET', KEYS[k]) ~= ARGV[a + 1] then
		return 0
	end
	-- Read before the first write, so that a user without the right to read changes nothing.
	local awaited = ARGV[a + 4] ~= '' and redis.call('EXISTS', KEYS[k + 2]) == 1
	if ARGV[a + 3] ~= '' then
		local stored = redis.call('GET', KEYS[k + 1])
		local tokens, tick, before = string.match(stored or '', '^(%d+/?%d*)|(%-?%d+)<(%-?%d*)$')
		if tick == ARGV[a + 3] then
			if before ~= '' then
				tokens = tokens .. '|' .. before
			end
			redis.call('SET', KEYS[k + 1], tokens, 'KEEPTTL')
		end
	end
	if ARGV[a + 2] == '0' then
		redis.call('DEL', KEYS[k])
	else
		redis.call('SET', KEYS[k], 'cooldown', 'PX', ARGV[a + 2])
	end
	if awaited then
		local told = redis.pcall('PUBLISH', ARGV[a + 4], KEYS[k])
		if type(told) == 'table' and told.err then
			return { 1, told.err }
		end
	end
	return 1
end
return { micros, release(1, 0) }
