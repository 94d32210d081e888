-- Sets a value unless a greater fencing token was seen. Tokens can exceed what a number holds exactly, so they are
-- compared as text: the longer one is greater.
-- In:  KEYS  value, token
--      ARGV  1 the token, 2 for how long it is remembered in ms, 0 for ever, 3 the value, 4 its ttl in ms, 0 for none
-- Out: 1 written; 0 the token is stale
local seen = redis.call('GET', KEYS[2])
if seen and (#seen > #ARGV[1] or #seen == #ARGV[1] and seen > ARGV[1]) then
	return 0
end
if ARGV[2] == '0' then
	redis.call('SET', KEYS[2], ARGV[1])
else
	redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
end
if ARGV[4] == '0' then
	redis.call('SET', KEYS[1], ARGV[3])
else
	redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
end
return 1
