-- Ends the function that takes a lock, after granted.lua or entered.lua. Calls both functions.
end

local width, tick = tonumber(ARGV[1]), ARGV[2]
local number = #KEYS / width

-- Calls a function with the keys and arguments of one lock.
local function call(step, i)
	local arguments = { unpack(ARGV, 3) }
	if tick ~= '' and i == number then
		arguments[4] = tick
	end
	return step({ unpack(KEYS, (i - 1) * width + 1, i * width) }, arguments)
end

local mine, busy = 0, {}
for i = 1, number do
	local found = call(look, i)
	if found == 'mine' then
		mine = mine + 1
	elseif found == 'busy' then
		busy[#busy + 1] = i
	elseif found ~= 'free' then
		found[3] = i
		return found
	end
end
if #busy > 0 then
	if mine > 0 then
		return { 7 }
	end
	-- Only the scripts of busy locks are called. They leave marks, and close doors.
	local outcome, longest = 0, 0
	for _, i in ipairs(busy) do
		local answer = call(attempt, i)
		local rest = answer[2] or 0
		if longest >= 0 and (rest < 0 or rest > longest) then
			longest = rest
		end
		outcome = math.max(outcome, answer[1])
	end
	if outcome == 6 then
		return { 6 }
	end
	return (outcome == 0) and { 0, longest } or { 7 }
end
local granted = { 1 }
for i = 1, number do
	local answer = call(attempt, i)
	if answer[1] ~= 1 then
		return { 7 }
	end
	granted[#granted + 1] = answer[2]
	granted[#granted + 1] = answer[3]
end
return granted
