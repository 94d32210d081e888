-- Mints tokens for a lease that is granted, after counter.lua. Sets first and last, the first and the last token, and
-- span, their number.
-- In:  KEYS  2 counter
--      ARGV  6 how long the counter is kept in ms
local keep = tonumber(ARGV[6])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- Without a counter, begin above a range that may have been granted just before it was lost: a range is no longer than
-- that. Ranges that are ahead of time, by a second at most, may still reach higher.
local first = last and math.max(now, last + 1) or now + 1024
if first > now + 1000000 then
	-- Tokens must not stay ahead of time permanently.
	span = 1
end

if tick then
	keep = math.max(keep, DAY)
end
last = first + span - 1
-- A number alone is written in full. Concatenated with text it would lose digits.
local value = last
if span > 1 or tick then
	value = string.format('%.0f', last)
	if span > 1 then
		value = value .. '/' .. string.format('%.0f', span)
	end
	if tick then
		value = value .. '|' .. string.format('%.0f', tick)
	end
end
redis.call('SET', KEYS[2], value, 'PXAT', math.floor(last / 1000) + keep)
