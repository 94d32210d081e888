-- Begins a transaction. The server ends it if the client vanishes, as soon as the connection has been idle for 5 s. By
-- default it would keep the locks on the rows for hours.
-- In: no parameters.
-- Out: no rows.
SET @lock_wait_timeout = @@wait_timeout, SESSION wait_timeout = 5, SESSION autocommit = 0
