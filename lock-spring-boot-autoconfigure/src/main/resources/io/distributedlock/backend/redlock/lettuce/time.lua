-- The node's TIME in microseconds.
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]

