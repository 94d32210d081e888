-- Finds unused locks in the order of their keys. They are not held, cooling down, shared or waited for. Their tokens
-- are older than the retention, and their ticks are no longer requested. A release sets the expiry far back, and keeps
-- its own time in acquired_at.
-- In: after (the key after which to begin), unused, ticked (ms from now, in the past), micros (how old tokens must
-- be).
-- Out: lock_key.
SELECT lock_key
FROM @@table@@
WHERE lock_key > :after AND @@ours@@ AND expires_at < @@after(:unused)@@
	AND (acquired_at IS NULL OR acquired_at < @@after(:unused)@@) AND token < @@micros@@ - :micros
	AND (tick IS NULL OR (expires_at < @@after(:ticked)@@ AND (acquired_at IS NULL OR acquired_at < @@after(:ticked)@@)))
	AND (waiting_until IS NULL OR waiting_until < @@now@@) AND (shared_until IS NULL OR shared_until < @@now@@)
ORDER BY lock_key
