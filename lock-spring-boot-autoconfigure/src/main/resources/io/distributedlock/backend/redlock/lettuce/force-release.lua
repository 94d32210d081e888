-- Takes a lock away from its holder, or from all members of a group, at one of several nodes, and begins a cooldown, which
-- has no owner.
-- In:  KEYS  lock, mark of waiters, members of a group, their tokens, door
--      ARGV  1 cooldown in ms, 0 for none, 2 channel, 3 the message to waiters
-- Out: {1} the lock had a holder; {0} it had none; {1, error} it had one, but waiters can't be notified;
--      an error if the lock has a form that this version does not write
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return { 0 }
end
local group = isGroup(value)
if not group and not isKnown(value) then
	return unknown('the lock', value)
end
if group then
	-- Places that are kept for a time after a release are a cooldown. A group without any member is damaged, and ends.
	local owners, places = holders(KEYS[3])
	if #owners == 0 and places > 0 then
		return { 0 }
	end
end
local awaited = redis.call('EXISTS', KEYS[2]) == 1
if group then
	redis.call('DEL', KEYS[3], KEYS[4])
	shortenDoor(KEYS[5], tonumber(ARGV[1]))
end
if ARGV[1] == '0' then
	redis.call('DEL', KEYS[1])
else
	redis.call('SET', KEYS[1], 'cooldown', 'PX', ARGV[1])
end
if awaited then
	local told = redis.pcall('PUBLISH', ARGV[2], ARGV[3])
	if type(told) == 'table' and told.err then
		return { 1, told.err }
	end
end
return { 1 }
