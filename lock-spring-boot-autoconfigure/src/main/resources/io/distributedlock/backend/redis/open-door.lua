-- Takes back that a waiter has closed the door to a group. After group.lua.
-- In:  KEYS  1 door, 2 mark
--      ARGV  1 the waiter's name, 2 channel, 3 message for waiters
-- Out: {1} if the door is open now, {0} if others keep it closed
redis.call('ZREM', KEYS[1], ARGV[1], ARGV[1] .. '|notified')
if closed(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')) > 0 then
	return { 0 }
end
if redis.call('EXISTS', KEYS[2]) == 1 then
	redis.pcall('PUBLISH', ARGV[2], ARGV[3])
end
return { 1 }
