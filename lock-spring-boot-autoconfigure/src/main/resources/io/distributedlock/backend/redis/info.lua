-- Reads what a server tells of itself. A script, so that it is answered by a primary.
-- In:  KEYS  any key, whose primary is asked
--      ARGV  1 the section
-- Out: {the lines}
return { redis.call('INFO', ARGV[1]) }
