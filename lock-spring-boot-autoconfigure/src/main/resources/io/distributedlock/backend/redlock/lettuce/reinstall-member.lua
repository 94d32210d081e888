-- Puts a member of a group back on a node that lost it. Members that entered here since have greater tokens, and may not
-- have seen it. So it counts for its lease only when their attempts are over.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock, counter, members, their tokens, state of the node
--      ARGV  1 the expected state, 2 the kind of the group, 3 the value, 4 ttl in ms, 5 the last token of the lease,
--            6 how many tokens it has, 7 for how long an attempt may be under way in ms
-- Out: {1} it is a member here; {0} it is not
if redis.call('GET', KEYS[5]) ~= ARGV[1] then
	return { 0 }
end
local stored = redis.call('GET', KEYS[2])
local last = stored and readCounter(stored)
if stored and not last then
	return { 0 }
end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[2] then
	return { 0 }
end
local tokens = holder and expiry(KEYS[3], ARGV[3]) and redis.call('HGET', KEYS[4], ARGV[3])
if not tokens then
	tokens = ARGV[5] .. '/' .. ARGV[6]
	if last and last > tonumber(ARGV[5]) then
		tokens = tokens .. string.format('@%.0f', now + ARGV[7])
	end
end
admit(holder, KEYS[1], KEYS[3], KEYS[4], ARGV[2], ARGV[3], tonumber(ARGV[4]), tokens)
return { 1 }
