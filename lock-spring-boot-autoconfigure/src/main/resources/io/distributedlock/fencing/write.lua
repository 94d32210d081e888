-- Sets or deletes a value unless a greater fencing token was seen. The token stays. Tokens can exceed what a number holds
-- exactly, so they are compared as text: the longer one is greater.
-- In:  KEYS  value, token
--      ARGV  1 the token, 2 for how long it is remembered in ms, 0 forever;
--            to set: 3 the value, 4 its ttl in ms, 0 for none
-- Out: 1 written; 0 the token is stale
local function set(key, value, ttl)
	if ttl == '0' then
		redis.call('SET', key, value)
	else
		redis.call('SET', key, value, 'PX', ttl)
	end
end

local seen = redis.call('GET', KEYS[2])
if seen and (#seen > #ARGV[1] or #seen == #ARGV[1] and seen > ARGV[1]) then
	return 0
end
set(KEYS[2], ARGV[1], ARGV[2])
if ARGV[3] then
	set(KEYS[1], ARGV[3], ARGV[4])
else
	redis.call('DEL', KEYS[1])
end
return 1
