-- Keys are kept as the bytes of their UTF-8 form, so that no collation changes how they compare or pads them.
-- Times are UTC. Unlike TIMESTAMP, DATETIME is the same for sessions of all time zones. The row format is named,
-- because an older default has room for only 767 bytes of a key.
CREATE TABLE IF NOT EXISTS @@table@@ (
	lock_key VARBINARY(1500) NOT NULL PRIMARY KEY,
	owner VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin,
	instance VARCHAR(255) CHARACTER SET utf8mb4,
	token BIGINT NOT NULL,
	acquired_at DATETIME(6),
	expires_at DATETIME(6) NOT NULL,
	waiting_until DATETIME(6),
	tick BIGINT,
	shared_until DATETIME(6),
	format SMALLINT DEFAULT 1 NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE TABLE IF NOT EXISTS @@reader_table@@ (
	lock_key VARBINARY(1500) NOT NULL,
	owner VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	instance VARCHAR(255) CHARACTER SET utf8mb4,
	token BIGINT NOT NULL,
	acquired_at DATETIME(6) NOT NULL,
	expires_at DATETIME(6) NOT NULL,
	PRIMARY KEY (lock_key, owner)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
