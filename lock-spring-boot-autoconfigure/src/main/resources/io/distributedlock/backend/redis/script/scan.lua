-- Lists names of keys, a page of them. A script, so that it is answered by a primary.
-- In:  KEYS  none, or one that leads to a server of a Cluster
--      ARGV  1 cursor, '0' to begin, 2 pattern, 3 about how many keys to look at
-- Out: {next cursor, '0' at the end, names}
local page = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
return { page[1], page[2] }
