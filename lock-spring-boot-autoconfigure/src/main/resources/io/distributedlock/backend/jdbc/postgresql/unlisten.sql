-- Ends a connection's subscription to releases.
-- In: no parameters.
-- Out: no rows.
UNLISTEN "@@channel@@"
