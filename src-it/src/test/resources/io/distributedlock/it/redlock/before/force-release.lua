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
-- Takes a lock away from its holder at one of several nodes, and begins a cooldown, which has no owner.
-- In:  KEYS  lock, mark of waiters
--      ARGV  1 cooldown in ms, 0 for none, 2 channel, 3 the message to waiters
-- Out: {1} the lock had a holder; {0} it had none; {1, error} it had one, but waiters can't be notified;
--      an error if the lock has a form that this version does not write
local value = redis.call('GET', KEYS[1])
if not value or value == 'cooldown' then
	return { 0 }
end
if not isKnown(value) then
	return unknown('the lock', value)
end
local awaited = redis.call('EXISTS', KEYS[2]) == 1
if ARGV[1] == '0' then
	redis.call('DEL', KEYS[1])
else
	redis.call('SET', KEYS[1], 'cooldown', 'PX', ARGV[1])
end
if awaited then
	local told = redis.pcall('PUBLISH', ARGV[2], ARGV[3])
	if type(told) == 'table' and told.err then
		return { 1, told.err }
	end
end
return { 1 }

end
local answered = answer()
if answered.err then
	return answered
end
local time = redis.call('TIME')
return { answered, time[1], time[2] }
