-- Lengthens leases of which the locks still have the owners' values.
-- In:  KEYS  the locks; where the state of a node is to be compared first, its key at the end
--      ARGV  1 the expected state, '' not to compare it; then the value and the ttl in ms of each lock;
--            a ttl of 0 only asks
-- Out: {1 or 0 for each lock}: whether it still is the owner's; {} if the state is another one
local number = #KEYS
if ARGV[1] ~= '' then
	if redis.call('GET', KEYS[number]) ~= ARGV[1] then
		return {}
	end
	number = number - 1
end
local outcomes = {}
for i = 1, number do
	local ttl = ARGV[2 * i + 1]
	if redis.call('GET', KEYS[i]) == ARGV[2 * i] then
		outcomes[i] = 1
		if ttl ~= '0' then
			local rest = redis.call('PTTL', KEYS[i])
			if rest >= 0 and rest < tonumber(ttl) then
				redis.call('PEXPIRE', KEYS[i], ttl)
			end
		end
	else
		outcomes[i] = 0
	end
end
return outcomes
