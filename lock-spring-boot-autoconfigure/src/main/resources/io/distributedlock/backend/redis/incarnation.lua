-- Stands before scripts that have to do with the incarnation of the server: what another process, or a data set that
-- came by another way, does not share. Asked inside the script, since connections reconnect by themselves, come from
-- pools, or outlive servers behind a proxy.
local server = redis.call('INFO', 'server')
local incarnation = string.match(server, 'run_id:(%x+)') .. '-'
		.. string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
