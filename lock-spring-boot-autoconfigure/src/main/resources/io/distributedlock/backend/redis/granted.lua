-- Ends acquire.lua, after mint.lua. The writer opens the door, so that readers and other writers compete for the key
-- after it.
if KEYS[4] then
	redis.call('DEL', KEYS[4])
end
return { 1, first, span }
