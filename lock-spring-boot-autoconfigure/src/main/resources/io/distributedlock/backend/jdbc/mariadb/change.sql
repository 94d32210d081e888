-- Changes one member and lets the row of its key expire with the latest one. One transaction in one request: its first
-- statement locks the row, and the later ones see the members as they are from then on.
-- In: key, kind, owner, least and most (limits for the last token of the lease), past (ms from now), and what the step
-- needs.
-- Out: wanted (ms until a waiter that has closed the group polls again, null for none); no row if the lease no longer
-- stands.
BEGIN NOT ATOMIC
	DECLARE stood BIGINT DEFAULT 0;
	DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
	START TRANSACTION;
@@step(lock-gate)@@;
	IF ROW_COUNT() > 0 THEN
		SELECT COUNT(*) INTO stood FROM @@reader_table@@
		WHERE lock_key = :key AND owner = :owner AND token BETWEEN :least AND :most AND expires_at > @@now@@;
	END IF;
	IF stood > 0 THEN
@@step(change)@@;
@@step(settle-gate)@@;
		COMMIT;
	END IF;
	ROLLBACK;
	SELECT @@writer@@ AS wanted FROM @@table@@ WHERE lock_key = :key AND stood > 0;
END
