-- A group of leases that hold a lock together. The lock has the kind of the group as its value and ends no earlier than
-- any member. Beside it are a sorted set of the members with the ms in which they expire, a hash with their tokens, and
-- the door: a sorted set of the waiters that keep new members out, with the ms until which they do. Members and tokens mean
-- nothing without the lock.
-- A member is the value that an exclusive lock would have, or 'cooldown:' and that value after its release.
local now = math.floor(micros / 1000)

-- Reads the token of a member: '<last>[/<number of tokens>][@<from which ms on it counts for its lease>]'.
-- Returns the ms, 0 for always; nil if it has another form.
local function readFrom(stored)
	local last, from = string.match(stored or '', '^(%d+)/?%d*@?(%d*)$')
	return last and readNumber(last) and readNumber(from == '' and '0' or from) or nil
end

-- Returns when a member expires, or nil if it is no live member.
local function expiry(members, value)
	local at = redis.call('ZSCORE', members, value)
	at = at and tonumber(at)
	return at and at > now and at or nil
end

-- Only the release of a member shortens a lock, so that it outlives every member.
local function lengthen(name, ttl)
	local rest = redis.call('PTTL', name)
	if rest >= 0 and rest < ttl then
		redis.call('PEXPIRE', name, ttl)
	end
end

-- Keeps the members and their tokens for longer than the lock.
local function keepBeside(lock, members, tokens)
	local rest = redis.call('PTTL', lock) + 1000
	for _, name in ipairs({ members, tokens }) do
		if redis.call('PTTL', name) < rest then
			redis.call('PEXPIRE', name, rest)
		end
	end
end

-- Returns the live members that have an owner, each followed by the ms in which it expires, and the number of all live
-- members.
local function holders(members)
	local found = {}
	local live = redis.call('ZRANGE', members, '(' .. now, '+inf', 'BYSCORE', 'WITHSCORES')
	for i = 1, #live, 2 do
		if isKnown(live[i]) then
			found[#found + 1] = live[i]
			found[#found + 1] = live[i + 1]
		end
	end
	return found, #live / 2
end

-- Returns for how many ms the door stays closed, 0 if it is open.
local function closed(door)
	local latest = redis.call('ZRANGE', door, -1, -1, 'WITHSCORES')[2]
	return latest and math.max(0, latest - now) or 0
end

-- Leaves waiters that have closed the door some time to attempt when the lock is free.
local function shortenDoor(door, freeIn)
	local latest = now + freeIn + 100
	for _, waiter in ipairs(redis.call('ZRANGE', door, '(' .. latest, '+inf', 'BYSCORE')) do
		redis.call('ZADD', door, latest, waiter)
	end
end

local function removeExpired(members, tokens)
	for _, value in ipairs(redis.call('ZRANGE', members, '-inf', now, 'BYSCORE')) do
		redis.call('ZREM', members, value)
		redis.call('HDEL', tokens, value)
	end
end

-- Adds a member to the group, or to a new one, or lets it live for longer.
local function admit(held, lock, members, tokens, kind, value, ttl, itsTokens)
	if held then
		removeExpired(members, tokens)
	else
		-- An ended group may have left members that look alive.
		redis.call('DEL', members, tokens)
	end
	local at = math.max(now + ttl, expiry(members, value) or 0)
	redis.call('ZADD', members, string.format('%.0f', at), value)
	redis.call('HSET', tokens, value, itsTokens)
	if held then
		lengthen(lock, ttl)
	else
		redis.call('SET', lock, kind, 'PX', ttl)
	end
	keepBeside(lock, members, tokens)
end
