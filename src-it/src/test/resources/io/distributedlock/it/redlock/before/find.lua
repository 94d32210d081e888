-- The forms that this version writes. A value of another form was written by a later version or is damaged. It counts as
-- taken and is not changed.

-- 2^53: from there on, doubles can't represent every integer.
local LARGEST = 9007199254740992

local function readNumber(digits)
	local number = tonumber(digits)
	return number and math.abs(number) < LARGEST and number
end

-- Reads a counter: '<last token>[/<number of tokens>][|<tick>[<[<previous tick>]]]'. With '<' the tick may be withdrawn.
-- Returns the last token, the tick, '<' or '', and the previous tick; nil if it has another form.
local function readCounter(stored)
	if not string.find(stored, '%D') then
		return readNumber(stored) or nil
	end
	local digits, rest = string.match(stored, '^(%d+)/%d+(.*)$')
	if not digits then
		digits, rest = string.match(stored, '^(%d+)(.*)$')
	end
	local last = digits and readNumber(digits)
	if not last or rest == '' then
		return last or nil
	end
	local tick, open, before = string.match(rest, '^|(%-?%d+)(<?)(%-?%d*)$')
	tick = tick and readNumber(tick)
	if not tick or open == '' and before ~= '' or before ~= '' and not readNumber(before) then
		return nil
	end
	return last, tick, open, tonumber(before)
end

-- Reads the high-water marks of a node. Returns token and tick; nil if they have another form.
local function readMarks(stored)
	local token, tick = string.match(stored or '0:0', '^(%d+):(%d+)$')
	token, tick = token and readNumber(token), tick and readNumber(tick)
	if not token or not tick then
		return nil
	end
	return token, tick
end

-- Returns whether a lock has a holder or a cooldown of this version.
local function isKnown(value)
	return value == 'cooldown' or string.find(value, '^%x+|') ~= nil
end

local function unknown(what, stored)
	return redis.error_reply('UNKNOWNFORM ' .. what .. ' ' .. string.sub(stored, 1, 64))
end
local function answer()
-- Reads the holder of a lock at one of several nodes.
-- In:  KEYS  lock, counter
-- Out: {value, rest in ms, counter or ''}; {} if the lock is free or cools down
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return {}
end
return { value, redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) or '' }

end
local answered = answer()
if answered.err then
	return answered
end
local time = redis.call('TIME')
return { answered, time[1], time[2] }
