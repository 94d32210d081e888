-- Ends enter.lua, after mint.lua.
if holder then
	purge(KEYS[4], KEYS[5])
else
	-- A group that has ended, or that was taken away, leaves nothing to the next one.
	redis.call('DEL', KEYS[4], KEYS[5])
	redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[2])
end
redis.call('HSET', KEYS[5], ARGV[1], (span > 1) and string.format('%.0f/%.0f', last, span) or last)
redis.call('ZADD', KEYS[4], ends, ARGV[1])
settle(KEYS[1], KEYS[4], KEYS[5], latest(redis.call('ZRANGE', KEYS[4], -1, -1, 'WITHSCORES')))
return { 1, first, span }
