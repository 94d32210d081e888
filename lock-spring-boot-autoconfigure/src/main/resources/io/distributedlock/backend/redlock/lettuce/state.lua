-- Reads the state of a node.
-- In:  KEYS  state
-- Out: {state}; {} if there is none
local state = redis.call('GET', KEYS[1])
if not state then
	return {}
end
return { state }
