-- As an administrator may have written it: without a column, and with a time that has no zone.
CREATE TABLE IF NOT EXISTS by_hand (
	lock_key VARBINARY(2000) NOT NULL PRIMARY KEY,
	owner VARCHAR(32),
	instance VARCHAR(255),
	token BIGINT NOT NULL,
	acquired_at TIMESTAMP(6) WITH TIME ZONE,
	expires_at TIMESTAMP(6) NOT NULL,
	waiting_until TIMESTAMP(6) WITH TIME ZONE,
	tick BIGINT,
	shared_until TIMESTAMP(6) WITH TIME ZONE
);
