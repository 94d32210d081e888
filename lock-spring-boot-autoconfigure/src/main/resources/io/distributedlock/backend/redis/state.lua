-- Follows guard.lua. Compares the state of the server. What follows sees neither the key nor the argument.
-- In:  KEYS  the last one: state
--      ARGV  the last one: the expected state
-- Out: {4} if the server has another state; otherwise the result of the script
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[#ARGV] then
	return { 4 }
end
table.remove(KEYS)
table.remove(ARGV)
