-- Takes several locks that are free, or enters several groups: all or none. May be sent again under the same owner id.
-- It consists of two functions and the steps that call them. The first looks at one lock and changes nothing. The second
-- is the script of a single lock. Begins the first function, before counter.lua.
-- In:  KEYS  for each lock the keys of its own script, in the order of that script
--      ARGV  1 the number of keys of each lock, 2 tick of the last lock or '', 3 and so on: the arguments of the script of
--            a single lock, without a tick
-- Out: {1, first token of the first lock, its number of tokens, first token of the second lock, ...} granted
--      {0, longest rest in ms} busy; the rest is negative if a busy key never expires
--      {2, tick} the tick has run
--      {4} the server has another state
--      {5, value, place of the lock from 1 on} this version does not understand the value of the counter of a lock that
--            is free or this owner's
--      {6} busy: a group has a lock, and the waiter has to name the doors
--      {7} some locks are this owner's, and others can't be had; it is unknown which
--      {8, name} this value is of another type

local function isOfAnotherType(reply)
	return type(reply) == 'table' and reply.err and string.sub(reply.err, 1, 9) == 'WRONGTYPE'
end

-- Looks at a lock.
-- In:  the keys and arguments of the script of this lock
-- Out: 'free', 'mine' or 'busy'; or what to answer to the whole attempt
local function look(KEYS, ARGV)
local holder = redis.pcall('GET', KEYS[1])
if isOfAnotherType(holder) then
	return { 8, KEYS[1] }
end
if isOfAnotherType(redis.pcall('GET', KEYS[2])) then
	return { 8, KEYS[2] }
end
