-- Releases a member of one group or of several at one of several nodes, whatever the state of the node. Also releases an
-- attempt with an unknown outcome.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  for each lock: lock, members, their tokens, mark of waiters, door
--      ARGV  1 the value of the member, 2 for how long it keeps its place in ms, 0 for not at all,
--            3 the channel, '' to notify no waiter
-- Out: {1} released; {4} released, and a door is closed; {0} it was not a member of all, and of those that it was in it is
--      released; {…, error} released, but waiters can't be notified
local value = ARGV[1]
local left, err = 1, nil

local function leave(lock, members, tokens, kind, door, awaited)
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
			shortenDoor(door, 0)
		end
	end
	-- A waiter for an exclusive lock gains nothing while others are left.
	if awaited and (not latest or kind == 'permits' or ARGV[2] ~= '0') then
		local told = redis.pcall('PUBLISH', ARGV[3], lock)
		err = err or type(told) == 'table' and told.err
	end
end

local kinds, awaited = {}, {}
for k = 1, #KEYS, 5 do
	local kind = redis.call('GET', KEYS[k])
	if kind and isGroup(kind) and expiry(KEYS[k + 1], value) then
		kinds[k] = kind
		-- Read before the first write, so that a user without the right to read changes nothing.
		awaited[k] = ARGV[3] ~= '' and redis.call('EXISTS', KEYS[k + 3]) == 1
		if left == 1 and closed(KEYS[k + 4]) > 0 then
			left = 4
		end
	else
		left = 0
	end
end
for k = 1, #KEYS, 5 do
	if kinds[k] then
		leave(KEYS[k], KEYS[k + 1], KEYS[k + 2], kinds[k], KEYS[k + 4], awaited[k])
	end
end
return err and { left, err } or { left }
