-- Changes the state of a node where nobody else has, and raises its high-water marks with it.
-- The simulation of the nodes in the tests does the same: change both.
-- In:  KEYS  state, high-water marks
--      ARGV  1 the expected state, '' for none, 2 the next one, 3 and 4 the least high-water marks of tokens and ticks
-- Out: {1} changed; {0} the state is another one
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
	return { 0 }
end
redis.call('SET', KEYS[1], ARGV[2])
local token, tick = string.match(redis.call('GET', KEYS[2]) or '0:0', '^(%d+):(%d+)$')
redis.call('SET', KEYS[2], string.format('%.0f:%.0f', math.max(tonumber(token), tonumber(ARGV[3])),
	math.max(tonumber(tick), tonumber(ARGV[4]))))
return { 1 }
