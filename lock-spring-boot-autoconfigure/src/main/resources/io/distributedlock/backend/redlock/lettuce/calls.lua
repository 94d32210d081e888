-- Votes for attempts and releases locks, one after the other, in one step. Each call concerns one lock.
-- In:  KEYS  state of the node, its high-water marks; for each call lock, counter, mark of waiters
--      ARGV  1 the expected state, '' if no vote is asked for, 2 and 3 the floors of tokens and ticks that it names,
--            4 how long counters are kept in ms; for each call 'acquire' or 'release' and its arguments
-- Out: {the node's TIME in microseconds, for each call its answer or {7, error}}
local calls = { acquire = { acquire, 7 }, release = { release, 5 } }

-- Returns an error as the answer to its call, with the line of the call that failed: error() adds the line of the
-- function four levels up, above pcall, this function and redis.call.
local function failed(err)
	local known, line = pcall(error, '', 4)
	return { 7, tostring(type(err) == 'table' and err.err or err) .. ' ' .. tostring(line) }
end

local answers = { micros }
local a = 5
for k = 3, #KEYS, 3 do
	local call = calls[ARGV[a]]
	-- An error, such as that of a value of another type, concerns its call only.
	local done, answer = xpcall(function()
		return call[1](k, a, 1)
	end, failed)
	answers[#answers + 1] = answer
	a = a + call[2]
end
return answers
