-- Lets a connection hear of releases.
-- In: nothing.
-- Out: nothing.
LISTEN "@@channel@@"
