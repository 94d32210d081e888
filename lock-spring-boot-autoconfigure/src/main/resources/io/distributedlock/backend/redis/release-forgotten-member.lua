-- Releases a lease of a member on a server under quarantine, which may have forgotten it. A missing lease still is the
-- caller's, because the server has granted none to other clients since. After state.lua and group.lua.
-- In:  KEYS  1 lock, 2 members, 3 tokens
--      ARGV  1 the member, 2 the value of the lock, 3 cooldown in ms, 0 for none
-- Out: {1} released; {0} the lock was another owner's; {4} the server has another state
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[2] then
	return { 0 }
end
if ARGV[3] ~= '0' then
	if not holder then
		redis.call('DEL', KEYS[2], KEYS[3])
		redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
	end
	redis.call('ZADD', KEYS[2], millis + ARGV[3], 'cooldown:' .. string.match(ARGV[1], '^[^|]*'))
	settle(KEYS[1], KEYS[2], KEYS[3], latest(redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')))
end
return { 1 }
