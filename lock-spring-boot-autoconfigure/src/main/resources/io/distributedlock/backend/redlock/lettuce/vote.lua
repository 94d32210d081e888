-- What the votes of one step share.
-- In:  KEYS  1 state of the node, 2 its high-water marks
--      ARGV  1 the expected state, 2 and 3 the floors of tokens and ticks that it names, 4 how long counters are kept in ms
local floor, tickFloor, retention = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

-- Whether the state is the expected one, and the high-water marks, once they are read. The first vote reads them, so that
-- an error concerns votes only.
local votes, token, latest

