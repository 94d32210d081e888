-- Lengthens leases whose locks still have the owners' values.
-- In:  KEYS  the locks; then the key of the server's state, only if the script compares it first
--      ARGV  1 the expected state, '' not to compare it; then the value and the TTL in ms of each lock;
--            a TTL of 0 only asks
-- Out: {1 or 0 for each lock}: whether it still is the owner's; {} if the server has another state
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
