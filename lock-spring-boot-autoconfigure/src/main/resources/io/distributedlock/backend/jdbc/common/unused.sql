-- Finds locks that nobody has used for long, in the order of their keys: not held, cooling down, shared or waited for,
-- with tokens that time has passed by as far, and ticks that nobody asks for any more. A release puts the expiry far
-- back, and keeps its own time in acquired_at.
-- In: after (the key to begin behind), unused, ticked (ms from now on, in the past), micros (how old tokens must be).
-- Out: lock_key.
SELECT lock_key
FROM @@table@@
WHERE lock_key > :after AND @@ours@@ AND expires_at < @@after(:unused)@@
	AND (acquired_at IS NULL OR acquired_at < @@after(:unused)@@) AND token < @@micros@@ - :micros
	AND (tick IS NULL OR (expires_at < @@after(:ticked)@@ AND (acquired_at IS NULL OR acquired_at < @@after(:ticked)@@)))
	AND (waiting_until IS NULL OR waiting_until < @@now@@) AND (shared_until IS NULL OR shared_until < @@now@@)
ORDER BY lock_key
