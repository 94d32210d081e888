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
-- Extends leases that still have their locks on this node. A lock beside a greater token than the lease's does not count,
-- although it has the owner's value: it was set by a late request, and another client was here in between.
-- The simulation of the nodes in the tests does the same, so change both.
-- In:  KEYS  lock and counter of each lease, then the state of the node
--      ARGV  1 the expected state; then the value, the ttl in ms and the last token of each lease; a ttl of 0 only asks
-- Out: {1 or 0 for each lease}: whether it stands here, or 2 if its counter has a form that this version does not write;
--      {} if the state is another one
if redis.call('GET', KEYS[#KEYS]) ~= ARGV[1] then
	return {}
end
local outcomes = {}
for i = 1, (#KEYS - 1) / 2 do
	local lock, ttl = KEYS[2 * i - 1], ARGV[3 * i]
	outcomes[i] = 0
	if redis.call('GET', lock) == ARGV[3 * i - 1] then
		local stored = redis.call('GET', KEYS[2 * i])
		local last = stored and readCounter(stored)
		if stored and not last then
			outcomes[i] = 2
		elseif not stored or last <= tonumber(ARGV[3 * i + 1]) then
			outcomes[i] = 1
			if ttl ~= '0' then
				local rest = redis.call('PTTL', lock)
				if rest >= 0 and rest < tonumber(ttl) then
					redis.call('PEXPIRE', lock, ttl)
				end
			end
		end
	end
end
return outcomes

end
local answered = answer()
if answered.err then
	return answered
end
local time = redis.call('TIME')
return { answered, time[1], time[2] }
