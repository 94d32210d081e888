-- Commits a transaction.
-- In: no parameters.
-- Out: no rows.
SET SESSION autocommit = 1, SESSION wait_timeout = @lock_wait_timeout
