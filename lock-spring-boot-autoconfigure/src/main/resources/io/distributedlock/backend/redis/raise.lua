-- Precedes scripts that restore leases.

-- Raises a counter to the last token of a lease. It may be missing, or be that of an earlier lease. One that this version
-- does not understand stays unchanged.
local function raise(counter, token, keep)
	local last, tick = string.match(redis.call('GET', counter) or '0', '^(%d+)/?%d*(|?%-?%d*)$')
	if last and tonumber(last) < tonumber(token) and (tonumber(last) == 0 or tonumber(last) >= 1000000) then
		local day = 86400000
		redis.call('SET', counter, token .. tick, 'PX', (tick ~= '') and math.max(keep, day) or keep)
	end
end
