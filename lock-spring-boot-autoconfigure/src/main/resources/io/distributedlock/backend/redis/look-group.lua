-- Ends the look at a lock before enter.lua enters its group, after counter.lua.
if not holder or holder == ARGV[4] then
	if holder then
		local present = redis.pcall('ZSCORE', KEYS[4], ARGV[1])
		if isOfAnotherType(present) then
			return { 8, KEYS[4] }
		end
		local range = redis.pcall('HGET', KEYS[5], ARGV[1])
		if isOfAnotherType(range) then
			return { 8, KEYS[5] }
		end
		present = tonumber(present)
		if range and present and present > millis then
			return 'mine'
		end
	end
	local last = redis.pcall('ZRANGE', KEYS[6], -1, -1, 'WITHSCORES')
	if isOfAnotherType(last) then
		return { 8, KEYS[6] }
	end
	if closed(last) == 0 then
		return understood and 'free' or { 5, stored }
	end
end
