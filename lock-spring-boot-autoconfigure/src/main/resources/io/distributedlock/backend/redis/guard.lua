-- Stands between incarnation.lua and scripts that may run on one incarnation only.
-- In:  ARGV  the last one: the expected state, which names the incarnation
-- Out: {4} if the server is another one; otherwise what the script returns
if string.match(ARGV[#ARGV], '^%l+:([%x%-]+):') ~= incarnation then
	return { 4 }
end
