-- Lists a page of names of keys. It is a script, so that a primary answers.
-- In:  KEYS  empty, or one key that routes the script to a server of a Cluster
--      ARGV  1 cursor, '0' to begin, 2 pattern, 3 the approximate number of keys to look at
-- Out: {next cursor, '0' at the end, names}
local page = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
return { page[1], page[2] }
