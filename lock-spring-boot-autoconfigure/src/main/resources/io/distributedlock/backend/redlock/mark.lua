-- Reads the high-water marks of a node.
-- In:  KEYS  state, high-water marks
--      ARGV  1 the expected state
-- Out: {greatest token, greatest tick}; {} if the state is another one
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
	return {}
end
local token, tick = string.match(redis.call('GET', KEYS[2]) or '0:0', '^(%d+):(%d+)$')
return { token, tick }
