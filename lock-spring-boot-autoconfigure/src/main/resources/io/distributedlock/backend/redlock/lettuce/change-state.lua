-- Changes the state of a node if it is the expected one, and raises its high-water marks in the same step.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  state, high-water marks
--      ARGV  1 the expected state, '' for none, 2 the next one, 3 and 4 the least high-water marks of tokens and ticks afterwards
-- Out: {1} changed; {0} the state is another one
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
	return { 0 }
end
local marks = redis.call('GET', KEYS[2])
local token, tick = readMarks(marks)
if not token then
	return unknown('the high-water marks', marks)
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], string.format('%.0f:%.0f', math.max(token, tonumber(ARGV[3])), math.max(tick, tonumber(ARGV[4]))))
return { 1 }
