-- Puts a lock back on a node that lost it. If the message is late, a client that was here since has left a greater token.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock, counter, state of the node
--      ARGV  1 the expected state, 2 the value of the lock, 3 ttl in ms, 4 the last token of the lease
-- Out: {1} the lock has the value; {0} it does not
if redis.call('GET', KEYS[3]) ~= ARGV[1] then
	return { 0 }
end
local stored = redis.call('GET', KEYS[2])
local last = stored and readCounter(stored)
if stored and (not last or last > tonumber(ARGV[4])) then
	return { 0 }
end
local holder = redis.call('GET', KEYS[1])
if not holder then
	redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
	return { 1 }
end
if holder ~= ARGV[2] then
	return { 0 }
end
local rest = redis.call('PTTL', KEYS[1])
if rest >= 0 and rest < tonumber(ARGV[3]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return { 1 }
