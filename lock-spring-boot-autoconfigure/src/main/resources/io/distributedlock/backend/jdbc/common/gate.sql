-- Reads how the row of a key stands in the way of a member.
-- In: key.
-- Out: kind (null unless the latest lease was a member's), owned (1 if it has an exclusive owner), token, rest (ms, not
-- positive if the key is free), age (ms), door (for how long the group is closed to new members, in ms, zero if it is
-- open), asked (1 if a waiter for a permit asks to be notified), form (1 if this version knows the row); no row if the
-- key was never locked.
SELECT @@kind@@ AS kind, CASE WHEN owner IS NULL THEN 0 ELSE 1 END AS owned, token, @@rest@@ AS rest, @@age@@ AS age,
	@@door@@ AS door, CASE WHEN shared_until IS NULL THEN 0 ELSE 1 END AS asked, @@form@@ AS form
FROM @@table@@
WHERE lock_key = :key
