-- Closes the door of a lock at one of several nodes, so that no further member enters the group, or opens it again.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock, mark of waiters, door
--      ARGV  1 the id of the waiter, 2 for how long it keeps the door closed in ms, 0 if it no longer does,
--            3 the channel, '' to notify no waiter when the door is open
-- Out: {1} the door was closed or opened; {0} it is not open, or it was open before; {1, error} waiters can't be notified
local door = KEYS[3]
if ARGV[2] ~= '0' then
	local least = now + ARGV[2]
	redis.call('ZADD', door, string.format('%.0f', math.max(least, redis.call('ZSCORE', door, ARGV[1]) or 0)), ARGV[1])
	redis.call('PEXPIRE', door, closed(door))
	return { 1 }
end
local awaited = ARGV[3] ~= '' and redis.call('EXISTS', KEYS[2]) == 1
local before = closed(door)
redis.call('ZREM', door, ARGV[1])
if before == 0 or closed(door) > 0 then
	return { 0 }
end
if awaited then
	local told = redis.pcall('PUBLISH', ARGV[3], KEYS[1])
	if type(told) == 'table' and told.err then
		return { 1, told.err }
	end
end
return { 1 }
