-- Finds the holder of a lock.
-- In:  KEYS  lock, counter
-- Out: {value, rest in ms, counter or '', seconds and microseconds of the server's clock}; {} if it has no holder.
--      A value that is not text counts as taken, and is returned as ''
local function read(key)
	local value = redis.pcall('GET', key)
	if type(value) ~= 'table' then
		return value
	end
	if string.sub(value.err, 1, 9) == 'WRONGTYPE' then
		return ''
	end
	-- Fails again, with an error that names the line.
	return redis.call('GET', key)
end

local value = read(KEYS[1])
if not value or value == 'cooldown' then
	return {}
end
local time = redis.call('TIME')
return { value, redis.call('PTTL', KEYS[1]), read(KEYS[2]) or '', time[1], time[2] }
