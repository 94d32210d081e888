-- Releases a member of a group at one of several nodes, whatever the state of the node. Also releases an attempt with an
-- unknown outcome.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock, members, their tokens, mark of waiters, door
--      ARGV  1 the value of the member, 2 for how long it keeps its place in ms, 0 for not at all,
--            3 the channel, '' to notify no waiter
-- Out: {1} released; {4} released, and the door is closed; {0} it was no member; {…, error} released, but waiters can't be
--      notified
local lock, members, tokens, value = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local kind = redis.call('GET', lock)
if not kind or not isGroup(kind) or not expiry(members, value) then
	return { 0 }
end
-- Read before the first write, so that a user without the right to read changes nothing.
local awaited = ARGV[3] ~= '' and redis.call('EXISTS', KEYS[4]) == 1
local left = closed(KEYS[5]) > 0 and 4 or 1

redis.call('ZREM', members, value)
redis.call('HDEL', tokens, value)
if ARGV[2] ~= '0' then
	redis.call('ZADD', members, string.format('%.0f', now + ARGV[2]), 'cooldown:' .. value)
end
removeExpired(members, tokens)
local latest = redis.call('ZRANGE', members, -1, -1, 'WITHSCORES')[2]
if latest then
	redis.call('PEXPIRE', lock, string.format('%.0f', latest - now))
	keepBeside(lock, members, tokens)
else
	redis.call('DEL', lock, members, tokens)
	if awaited then
		shortenDoor(KEYS[5], 0)
	end
end
-- A waiter for an exclusive lock gains nothing while others are left.
if awaited and (not latest or kind == 'permits' or ARGV[2] ~= '0') then
	local told = redis.pcall('PUBLISH', ARGV[3], lock)
	if type(told) == 'table' and told.err then
		return { left, told.err }
	end
end
return { left }
