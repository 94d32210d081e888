-- Finds the members of a group. After group.lua.
-- In:  KEYS  1 lock, 2 members, 3 tokens
--      ARGV  1 the value of the lock
-- Out: {ms since 1970, then the member, the end of its lease in ms since 1970 and its tokens or '', for each member};
--      {} if no group of this kind has the lock
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return {}
end
local tokens = {}
local pairs = redis.call('HGETALL', KEYS[3])
for i = 1, #pairs, 2 do
	tokens[pairs[i]] = pairs[i + 1]
end
local found = { millis }
local members = redis.call('ZRANGE', KEYS[2], '(' .. millis, '+inf', 'BYSCORE', 'WITHSCORES')
for i = 1, #members, 2 do
	if string.sub(members[i], 1, 9) ~= 'cooldown:' then
		found[#found + 1] = members[i]
		found[#found + 1] = members[i + 1]
		found[#found + 1] = tokens[members[i]] or ''
	end
end
return found
