-- Renews leases of members on a server under quarantine, which may have forgotten them. Missing leases are restored,
-- because the server has granted none to other clients since. After state.lua, group.lua and raise.lua.
-- In:  KEYS  lock, members, tokens and counter of each lease
--      ARGV  how long counters are kept in ms; then the value of the lock, the member, the TTL in ms and the tokens,
--            '<last token>/<number>', of each lease; a TTL of 0 only asks
-- Out: {for each lease: 1 it stands, 0 the lock is another owner's, 2 unknown}; {4} if the server has another state
local outcomes = {}
for i = 1, #KEYS / 4 do
	local lock, members, tokens, counter = KEYS[4 * i - 3], KEYS[4 * i - 2], KEYS[4 * i - 1], KEYS[4 * i]
	local kind, member, ttl, range = ARGV[4 * i - 2], ARGV[4 * i - 1], ARGV[4 * i], ARGV[4 * i + 1]
	local holder = redis.call('GET', lock)
	local present = holder == kind and tonumber(redis.call('ZSCORE', members, member))
	if holder and holder ~= kind then
		outcomes[i] = 0
	elseif ttl == '0' and not (present and present > millis) then
		outcomes[i] = 2
	else
		outcomes[i] = 1
		if not holder then
			redis.call('DEL', members, tokens)
			redis.call('SET', lock, kind, 'PX', ttl)
		end
		if ttl ~= '0' then
			redis.call('ZADD', members, 'GT', millis + ttl, member)
			redis.call('HSET', tokens, member, range)
			settle(lock, members, tokens, latest(redis.call('ZRANGE', members, -1, -1, 'WITHSCORES')))
		end
		raise(counter, string.match(range, '^%d+'), tonumber(ARGV[1]))
	end
end
return outcomes
