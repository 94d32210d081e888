-- Subscribes a connection to releases.
-- In: no parameters.
-- Out: no rows.
LISTEN "@@channel@@"
