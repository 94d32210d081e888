-- Releases a lock of its owner at one of several nodes, whatever the state of the node. Also releases an attempt with an
-- unknown outcome.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock, counter, mark of waiters
--      ARGV  1 the value of the lock, 2 cooldown in ms, 0 for none, 3 the tick to withdraw or '',
--            4 channel, '' to notify no waiter, 5 the message to waiters
-- Out: {1} released; {0} it was not that owner's; {1, error} released, but waiters can't be notified
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return { 0 }
end
-- Read before the first write, so that a user without the right to read changes nothing.
local awaited = ARGV[4] ~= '' and redis.call('EXISTS', KEYS[3]) == 1
if ARGV[3] ~= '' then
	local stored = redis.call('GET', KEYS[2])
	local tokens, tick, before = string.match(stored or '', '^(%d+/?%d*)|(%-?%d+)<(%-?%d*)$')
	if tick == ARGV[3] then
		if before ~= '' then
			tokens = tokens .. '|' .. before
		end
		redis.call('SET', KEYS[2], tokens, 'KEEPTTL')
	end
end
if ARGV[2] == '0' then
	redis.call('DEL', KEYS[1])
else
	redis.call('SET', KEYS[1], 'cooldown', 'PX', ARGV[2])
end
if awaited then
	local told = redis.pcall('PUBLISH', ARGV[4], ARGV[5])
	if type(told) == 'table' and told.err then
		return { 1, told.err }
	end
end
return { 1 }
