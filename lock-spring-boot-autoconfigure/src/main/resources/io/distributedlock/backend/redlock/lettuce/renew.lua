-- Extends leases that still have their locks on this node. A lock beside a greater token than the lease's does not count,
-- although it has the owner's value: it was set by a late request, and another client was here in between.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock and counter of each lease, then the state of the node
--      ARGV  1 the expected state; then the value, the ttl in ms and the last token of each lease; a ttl of 0 only asks
-- Out: {1 or 0 for each lease}: whether it stands here, or 2 if its counter has a form that this version does not write;
--      {} if the state is another one
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then
	return {}
end
local outcomes = {}
for i = 1, (#KEYS - 1) / 2 do
	local lock, ttl = KEYS[2 * i - 1], ARGV[3 * i]
	outcomes[i] = 0
	if redis.call('GET', lock) == ARGV[3 * i - 1] then
		local stored = redis.call('GET', KEYS[2 * i])
		local last = stored and readCounter(stored)
		if stored and not last then
			outcomes[i] = 2
		elseif not stored or last <= tonumber(ARGV[3 * i + 1]) then
			outcomes[i] = 1
			if ttl ~= '0' then
				local rest = redis.call('PTTL', lock)
				if rest >= 0 and rest < tonumber(ttl) then
					redis.call('PEXPIRE', lock, ttl)
				end
			end
		end
	end
end
return outcomes
