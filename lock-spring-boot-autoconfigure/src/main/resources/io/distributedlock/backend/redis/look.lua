-- Ends the look at a lock before acquire.lua takes it, after counter.lua.
local mine = holder == ARGV[1]
if not understood and (mine or not holder) then
	return { 5, stored }
end
local wanted = tonumber(ARGV[4])
if wanted and tick and wanted <= tick and not mine then
	return { 2, tick }
end
if mine then
	return 'mine'
end
if not holder then
	return 'free'
end
