-- Leaves the marks of waiters on those of several locks that are taken: the time at which they poll again, or at which
-- other waiters do so before.
-- In: keys (a list, written as one parameter for each key), mark (how long it stays, in ms).
-- Out: no useful result.
UPDATE @@table@@
SET waiting_until = CASE WHEN waiting_until > @@now@@ AND waiting_until < @@after(:mark)@@ THEN waiting_until
		ELSE @@after(:mark)@@ END
WHERE lock_key IN (:keys) AND @@ours@@ AND expires_at > @@now@@
