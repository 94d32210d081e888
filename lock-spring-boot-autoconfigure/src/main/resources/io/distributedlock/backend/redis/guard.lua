-- Follows incarnation.lua, and precedes scripts that may run on one incarnation only.
-- In:  ARGV  the last one: the expected state, which names the incarnation
-- Out: {4} if the server has another incarnation; otherwise the result of the script
if string.match(ARGV[#ARGV], '^%l+:([%x%-]+):') ~= incarnation then
	return { 4 }
end
