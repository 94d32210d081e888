-- Precedes scripts of groups. The lock of a group has the value 'shared' or 'permits', so it is busy for all others. The
-- members are a sorted set with the end of each lease in ms since 1970; a member counts until then. The door is a sorted
-- set of the waiters that have closed it, with the end of that time in ms since 1970.
-- Sets: millis, the server's clock in ms since 1970
local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)

-- Returns the latest end in a sorted set, nil if the set is empty.
-- In:  its last entry with the score. The caller reads it, because errors are explained by the line that names the key.
local function latest(entry)
	return tonumber(entry[2])
end

-- Keeps the lock until the end of the latest lease, and what else belongs to the group for a second more.
local function settle(lock, members, tokens, ends)
	redis.call('PEXPIREAT', lock, ends)
	redis.call('PEXPIREAT', members, ends + 1000)
	redis.call('PEXPIREAT', tokens, ends + 1000)
end

-- Removes members that have expired. A few at a time are enough, because each call adds one at most.
local function purge(members, tokens)
	for _, member in ipairs(redis.call('ZRANGE', members, '-inf', millis, 'BYSCORE', 'LIMIT', 0, 100)) do
		redis.call('ZREM', members, member)
		redis.call('HDEL', tokens, member)
	end
end

-- Returns for how many ms a door is closed, 0 if it is open.
-- In:  its last entry with the score
local function closed(entry)
	return math.max((latest(entry) or millis) - millis, 0)
end
