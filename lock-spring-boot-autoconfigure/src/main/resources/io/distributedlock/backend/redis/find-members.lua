-- Finds the members of a group. After group.lua.
-- In:  KEYS  1 lock, 2 members, 3 tokens
--      ARGV  1 the value of the lock
-- Out: {ms since 1970, then the member, the end of its lease in ms since 1970 and its tokens or '', for each member};
--      {} if no group of this kind has the lock. If the members are of another type, there is one without a name
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return {}
end

local function isOfAnotherType(reply)
	return type(reply) == 'table' and reply.err and string.sub(reply.err, 1, 9) == 'WRONGTYPE'
end

if isOfAnotherType(redis.pcall('ZCOUNT', KEYS[2], 0, 0)) then
	return { millis, '', millis + redis.call('PTTL', KEYS[1]), '' }
end
local ranges = {}
if not isOfAnotherType(redis.pcall('HGET', KEYS[3], '')) then
	ranges = redis.call('HGETALL', KEYS[3])
end
local tokens = {}
for i = 1, #ranges, 2 do
	tokens[ranges[i]] = ranges[i + 1]
end
local members = redis.call('ZRANGE', KEYS[2], '(' .. millis, '+inf', 'BYSCORE', 'WITHSCORES')
local found = { millis }
for i = 1, #members, 2 do
	if string.sub(members[i], 1, 9) ~= 'cooldown:' then
		found[#found + 1] = members[i]
		found[#found + 1] = members[i + 1]
		found[#found + 1] = tokens[members[i]] or ''
	end
end
return found
