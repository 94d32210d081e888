-- Keys are kept as the hexadecimal digits of their UTF-8 form, so that no setting of the database changes how they
-- compare. Times must have a zone: others jump when daylight saving time ends.
CREATE TABLE IF NOT EXISTS @@table@@ (
	lock_key VARCHAR(2900) NOT NULL PRIMARY KEY,
	owner VARCHAR(32),
	instance VARCHAR(255),
	token BIGINT NOT NULL,
	acquired_at TIMESTAMP(6) WITH TIME ZONE,
	expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
	waiting_until TIMESTAMP(6) WITH TIME ZONE,
	tick BIGINT,
	shared_until TIMESTAMP(6) WITH TIME ZONE,
	format SMALLINT DEFAULT 1 NOT NULL
);

CREATE TABLE IF NOT EXISTS @@reader_table@@ (
	lock_key VARCHAR(2900) NOT NULL,
	owner VARCHAR(32) NOT NULL,
	instance VARCHAR(255),
	token BIGINT NOT NULL,
	acquired_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
	expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
	PRIMARY KEY (lock_key, owner)
);
