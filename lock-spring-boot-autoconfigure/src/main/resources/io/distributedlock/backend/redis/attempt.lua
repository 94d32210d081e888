-- Ends the function that looks at a lock, after look.lua or look-group.lua. Begins the one that takes it.
if ARGV[5] ~= '0' and isOfAnotherType(redis.pcall('GET', KEYS[3])) then
	return { 8, KEYS[3] }
end
return 'busy'
end

-- Takes a lock, or marks a busy one.
-- In:  the keys and arguments of the script of this lock
-- Out: what that script returns
local function attempt(KEYS, ARGV)
