-- Returns whether the server grants locks. Puts a new incarnation under quarantine, and ends a quarantine.
-- Follows incarnation.lua.
-- In:  KEYS  state
--      ARGV  1 the longest TTL in ms, 2 a name that no other quarantine has,
--            3 the state of a quarantine that the caller has seen for long enough, else ''
-- Out: {state}: 'ok:<incarnation>:<longest TTL>' or 'q:<incarnation>:<longest TTL>:<name>'; {} in a Cluster. A state
--      without an incarnation is returned as it is, and left unchanged
if string.find(server, 'redis_mode:cluster', 1, true) then
	return {}
end
local state = redis.call('GET', KEYS[1])
local known = state and string.match(state, '^%l+:([%x%-]+):')
if state and not known then
	return { state }
end
if known ~= incarnation then
	state = 'q:' .. incarnation .. ':' .. ARGV[1] .. ':' .. ARGV[2]
	redis.call('SET', KEYS[1], state)
elseif state == ARGV[3] then
	state = 'ok:' .. incarnation .. ':' .. ARGV[1]
	redis.call('SET', KEYS[1], state)
end
return { state }
