-- Releases a lock on a server under quarantine, which may have forgotten it. A missing lock still is the caller's,
-- because the server has granted no locks to other clients since. Follows guard.lua.
-- In:  KEYS  lock, state
--      ARGV  1 the value of the lock, 2 cooldown in ms, 0 for none, 3 the expected state
-- Out: {1} released; {0} it was another owner's; {4} the server has another state
if redis.call('GET', KEYS[2]) ~= ARGV[3] then
	return { 4 }
end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
	return { 0 }
end
if ARGV[2] == '0' then
	redis.call('DEL', KEYS[1])
else
	redis.call('SET', KEYS[1], 'cooldown', 'PX', ARGV[2])
end
return { 1 }
