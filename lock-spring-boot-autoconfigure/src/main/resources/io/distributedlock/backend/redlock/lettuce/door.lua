-- Closes the door of a lock at one of several nodes, so that no further member enters the group, or opens it again.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock, mark of waiters, door
--      ARGV  1 the id of the waiter that closes it, 2 for how long in ms, 0 to open it if this waiter was the last to
--            close it, 3 the channel, '' to notify no waiter when it opens
-- Out: {1} done; {0} another waiter keeps it closed, or it is open already; {1, error} waiters can't be notified
if ARGV[2] ~= '0' then
	local rest = math.max(redis.call('PTTL', KEYS[3]), tonumber(ARGV[2]))
	redis.call('SET', KEYS[3], ARGV[1], 'PX', rest)
	return { 1 }
end
if redis.call('GET', KEYS[3]) ~= ARGV[1] then
	return { 0 }
end
local awaited = ARGV[3] ~= '' and redis.call('EXISTS', KEYS[2]) == 1
redis.call('DEL', KEYS[3])
if awaited then
	local told = redis.pcall('PUBLISH', ARGV[3], KEYS[1])
	if type(told) == 'table' and told.err then
		return { 1, told.err }
	end
end
return { 1 }
