-- Releases the lock of an owner, or of an attempt for which it is unknown whether it was granted.
-- In:  KEYS  lock, counter, mark; or the lock alone, while its slot is moving
--      ARGV  1 the value of the lock, 2 the last token of the lease, '' for any,
--            3 cooldown in ms, 0 for none, 4 channel, '' to notify no waiters, 5 message for waiters
-- Out: {1} released; {1, error} released, but waiters could not be notified; {0} the lock was not this owner's
local present = redis.call('MGET', unpack(KEYS))
if present[1] ~= ARGV[1] then
	return { 0 }
end
-- The token is compared only if the counter is understood. A lease may be held for longer than its counter is kept, and
-- a counter that this version does not understand does not disprove the owner.
if ARGV[2] ~= '' and present[2] and present[2] ~= ARGV[2] then
	local last = string.match(present[2], '^(%d+)$') or string.match(present[2], '^(%d+)/%d+$')
			or string.match(present[2], '^(%d+)/?%d*|%-?%d+$')
	local understood = last and tonumber(last) >= 1000000 and tonumber(last) <= 9007199254740991
	if understood and last ~= ARGV[2] then
		return { 0 }
	end
end
if ARGV[3] == '0' then
	redis.call('DEL', KEYS[1])
else
	redis.call('SET', KEYS[1], 'cooldown', 'PX', ARGV[3])
end
if ARGV[4] ~= '' and (not KEYS[3] or present[3]) then
	local told = redis.pcall('PUBLISH', ARGV[4], ARGV[5])
	if type(told) == 'table' then
		return { 1, told.err }
	end
end
return { 1 }
