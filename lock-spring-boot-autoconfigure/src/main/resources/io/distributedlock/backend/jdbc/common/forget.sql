-- Deletes the row of a lock if it is still unused.
-- In: key, unused, ticked (ms from now, in the past), micros (how old its token must be).
-- Out: one row deleted, or none.
DELETE FROM @@table@@
WHERE lock_key = :key AND @@ours@@ AND expires_at < @@after(:unused)@@
	AND (acquired_at IS NULL OR acquired_at < @@after(:unused)@@) AND token < @@micros@@ - :micros
	AND (tick IS NULL OR (expires_at < @@after(:ticked)@@ AND (acquired_at IS NULL OR acquired_at < @@after(:ticked)@@)))
	AND (waiting_until IS NULL OR waiting_until < @@now@@) AND (shared_until IS NULL OR shared_until < @@now@@)
