-- Publishes a message that names no lock, so that subscribers can check whether they still receive messages.
-- In:  KEYS  any key; its primary runs the script
--      ARGV  1 channel
-- Out: {1}
redis.call('PUBLISH', ARGV[1], '')
return { 1 }
