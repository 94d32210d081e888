-- What the votes of one step share.
-- In:  KEYS  1 state of the node, 2 its high-water marks
--      ARGV  1 the expected state, 2 and 3 the floors of tokens and ticks that it names, 4 how long counters are kept in ms
local floor, tickFloor, retention = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local votes = ARGV[1] ~= '' and redis.call('GET', KEYS[1]) == ARGV[1]

-- The high-water marks, once they are read.
local token, latest

