-- Notifies the listeners for releases.
-- In: payload.
-- Out: one row without meaning.
SELECT pg_notify('@@channel@@', :payload)
