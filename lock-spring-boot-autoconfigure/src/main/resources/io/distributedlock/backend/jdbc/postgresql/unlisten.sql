-- Lets a connection hear of no more releases.
-- In: nothing.
-- Out: nothing.
UNLISTEN "@@channel@@"
