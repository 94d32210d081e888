-- Reads the counter of a key, for the scripts that follow and mint tokens.
-- In:  KEYS  2 counter
--      ARGV  3 the requested number of tokens
-- Sets: stored   the value of the counter, false if there is none
--       last     the last token that was minted, nil if there is none or the value is not understood
--       count    the number of tokens of the range that ends with it
--       tick     the latest tick that has run, in ms since 1970, or nil
--       span     the requested number of tokens
--       understood  whether tokens can follow this value
local DAY = 86400000

-- All tokens are at least this, so a value of a later version can begin with a smaller number and is then no token.
local LEAST = 1000000
-- Above this, numbers of scripts are no longer exact.
local LARGEST = 9007199254740991

-- The counter is '<last token>[/<number of tokens>][|<tick>]', without the number if it is one. Any other value is
-- damaged or that of a later version. No token can follow it, and it is left unchanged.
local stored = redis.call('GET', KEYS[2])
local last, count, tick = nil, 1, nil
if stored then
	local digits, rest = string.match(stored, '^(%d+)(.*)$')
	if digits and rest ~= '' then
		local number, behind = string.match(rest, '^/(%d+)(.*)$')
		if number then
			count, rest = tonumber(number), behind
		end
		if rest ~= '' then
			tick = tonumber(string.match(rest, '^|(%-?%d+)$'))
			if not tick or math.abs(tick) > LARGEST then
				digits = nil
			end
		end
	end
	last = tonumber(digits)
	if not last or last < LEAST or last > LARGEST or count < 1 or count > last then
		last, tick = nil, nil
	end
end

local span = tonumber(ARGV[3])
local understood = not stored or last and last + span <= LARGEST
