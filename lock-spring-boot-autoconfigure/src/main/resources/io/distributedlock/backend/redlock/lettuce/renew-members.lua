-- Extends members of groups that are alive on this node. Members are never revived, and no other member lives longer.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock, members, their tokens and door of each lease, then the state of the node
--      ARGV  1 the expected state; then the kind, the value and the ttl in ms of each lease; a ttl of 0 only asks
-- Out: {for each lease 0 it is no member here, 1 it is one, 2 its token has a form that this version does not write,
--      3 it is a member that does not count yet, 4 it is one and the door is closed};
--      {} if the state is another one
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then
	return {}
end
local outcomes = {}
for i = 1, (#KEYS - 1) / 4 do
	local k, a = 4 * i - 3, 3 * i - 1
	local lock, members, tokens, ttl = KEYS[k], KEYS[k + 1], KEYS[k + 2], tonumber(ARGV[a + 2])
	outcomes[i] = 0
	local at = redis.call('GET', lock) == ARGV[a] and expiry(members, ARGV[a + 1])
	if at then
		local from = readFrom(redis.call('HGET', tokens, ARGV[a + 1]))
		if not from then
			outcomes[i] = 2
		elseif from > now then
			outcomes[i] = 3
		elseif closed(KEYS[k + 3]) > 0 then
			outcomes[i] = 4
		else
			outcomes[i] = 1
		end
		if from and ttl > 0 then
			if at < now + ttl then
				redis.call('ZADD', members, string.format('%.0f', now + ttl), ARGV[a + 1])
			end
			lengthen(lock, ttl)
			keepBeside(lock, members, tokens)
		end
	end
end
return outcomes
