-- Reads the identity of a node.
-- In:  none
-- Out: {the sections server, replication and memory of INFO}
return { redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory') }
