-- Reads the high-water marks of a node.
-- In:  KEYS  state, high-water marks
--      ARGV  1 the expected state
-- Out: {greatest token, greatest tick}; {} if the state is another one
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return {}
end
local marks = redis.call('GET', KEYS[2])
local token, tick = readMarks(marks)
if not token then
	return unknown('the high-water marks', marks)
end
return { string.format('%.0f', token), string.format('%.0f', tick) }
