-- Reads the holders of a lock at one of several nodes.
-- In:  KEYS  lock, counter, members of a group, their tokens
-- Out: {value, rest in ms, counter or ''} of an exclusive holder; {kind, and for each member its value, rest in ms and
--      token or ''} of a group; {} if the lock is free or cools down
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return {}
end
if not isGroup(value) then
	return { value, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or '' }
end
local found = { value }
local all = holders(KEYS[3])
for i = 1, #all, 2 do
	found[#found + 1] = all[i]
	found[#found + 1] = all[i + 1] - now
	found[#found + 1] = redis.call('HGET', KEYS[4], all[i]) or ''
end
return found
