-- Sends a message that names no lock, by which those who listen find out whether they still hear.
-- In:  KEYS  any key, whose primary is asked
--      ARGV  1 channel
-- Out: {1}
redis.call('PUBLISH', ARGV[1], '')
return { 1 }
