-- Renews leases on a server under quarantine, which may have forgotten them. Missing leases are restored, because the
-- server has granted no locks to other clients since. After guard.lua and raise.lua.
-- In:  KEYS  lock and counter of each lease, then the state
--      ARGV  1 the expected state; then the value and the TTL in ms of each lease, a TTL of 0 only asks; then the last
--            token of each; then how long counters are kept in ms; then the expected state
-- Out: {for each lease: 1 it stands, 0 the lock is another owner's, 2 unknown}; {4} if the server has another state
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then
	return { 4 }
end
local number = (#KEYS - 1) / 2
local outcomes = {}
for i = 1, number do
	local lock, ttl = KEYS[2 * i - 1], ARGV[2 * i + 1]
	local holder = redis.call('GET', lock)
	if holder and holder ~= ARGV[2 * i] then
		outcomes[i] = 0
	elseif not holder and ttl == '0' then
		outcomes[i] = 2
	else
		outcomes[i] = 1
		if not holder then
			redis.call('SET', lock, ARGV[2 * i], 'NX', 'PX', ttl)
		else
			local rest = redis.call('PTTL', lock)
			if rest >= 0 and rest < tonumber(ttl) then
				redis.call('PEXPIRE', lock, ttl)
			end
		end
		raise(KEYS[2 * i], ARGV[1 + 2 * number + i], tonumber(ARGV[#ARGV - 1]))
	end
end
return outcomes
