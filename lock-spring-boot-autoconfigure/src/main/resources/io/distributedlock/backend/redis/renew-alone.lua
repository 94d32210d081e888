-- Lengthens the lease of a member while its slot is moving, when scripts may have one key only. The caller asks for the
-- lock before, and lengthens it after. After group.lua.
-- In:  KEYS  1 members or tokens
--      ARGV  1 the member, '' with tokens, 2 TTL in ms; 0 only asks
-- Out: {1 or 0}: whether the lease has not ended
local ends = millis + ARGV[2]
local present = ends
if ARGV[1] ~= '' then
	present = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1])) or 0
	if present <= millis then
		return { 0 }
	end
end
local rest = redis.call('PTTL', KEYS[1])
if rest >= 0 and rest < ends + 1000 - millis then
	redis.call('PEXPIREAT', KEYS[1], ends + 1000)
end
if ends > present then
	redis.call('ZADD', KEYS[1], 'XX', 'GT', ends, ARGV[1])
end
return { 1 }
