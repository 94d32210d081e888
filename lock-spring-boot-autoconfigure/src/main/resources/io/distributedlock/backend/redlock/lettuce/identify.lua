-- Tells who a node is.
-- In:  none
-- Out: {what INFO says of server, replication and memory}
return { redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory') }
