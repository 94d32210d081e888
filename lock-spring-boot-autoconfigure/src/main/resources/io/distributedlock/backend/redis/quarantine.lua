-- Tells whether the server grants locks; puts a new incarnation under quarantine, and ends a quarantine.
-- Follows incarnation.lua.
-- In:  KEYS  state
--      ARGV  1 the longest ttl in ms, 2 what no other quarantine is called,
--            3 the state of a quarantine of which the caller has seen enough, else ''
-- Out: {state}: 'ok:<incarnation>:<longest ttl>' or 'q:<incarnation>:<longest ttl>:<name>'; {} in a Cluster. What is of
--      neither form is returned as it is, and left alone
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
