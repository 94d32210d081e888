-- What the votes of one step share.
-- In:  KEYS  1 state of the node, 2 its high-water marks
--      ARGV  1 the expected state, 2 and 3 the floors of tokens and ticks that it names, 4 how long counters are kept in ms
local floor, tickFloor, retention = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

-- Whether the state is the expected one, and the high-water marks, once they are read. The first vote reads them, so that
-- an error concerns votes only.
local votes, token, latest

local DAY = 86400000

-- Returns the value above which the tokens of a lock must be, given its last token if that is known. Forgotten tokens lie
-- further back than half of the retention.
local function leastOf(last)
	return last or micros - retention * 500
end

local function hash(holder)
	return string.sub(redis.sha1hex(holder), 1, 12)
end

-- The high-water mark is written this far ahead, in microseconds, so that most acquisitions need not write it.
local AHEAD = 100000

-- Stores the counter of acknowledged tokens, and a requested tick in the marks, 0 for none.
local function store(name, counter, last, wanted, keep)
	if last > token or wanted > latest then
		-- Before the counter: tokens that are acknowledged must not be above the mark.
		local ahead, later = math.max(token, math.min(last + AHEAD, LARGEST - 1)), math.max(latest, wanted)
		redis.call('SET', KEYS[2], string.format('%.0f:%.0f', ahead, later))
		-- Only now: if the node refuses the write, the next call must not rely on it.
		token, latest = ahead, later
	end
	redis.call('SET', name, counter, 'PXAT', string.format('%.0f', math.floor(last / 1000) + keep))
end
