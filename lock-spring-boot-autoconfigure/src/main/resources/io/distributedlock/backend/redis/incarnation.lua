-- Precedes scripts that use the incarnation of the server. It changes with the server's process, and with the history
-- of its data set. It is read inside the script, because connections reconnect by themselves, come from pools, or
-- outlive servers behind a proxy.
local server = redis.call('INFO', 'server')
local incarnation = string.match(server, 'run_id:(%x+)') .. '-'
		.. string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
