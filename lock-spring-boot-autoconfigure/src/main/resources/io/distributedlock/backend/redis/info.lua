-- Reads what a server reports about itself. It is a script, so that a primary answers.
-- In:  KEYS  any key; its primary runs the script
--      ARGV  1 the section
-- Out: {the lines}
return { redis.call('INFO', ARGV[1]) }
