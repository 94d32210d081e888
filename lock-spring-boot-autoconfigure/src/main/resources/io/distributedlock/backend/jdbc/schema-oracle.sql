-- Keys are kept as the bytes of their UTF-8 form, so that no setting of the database changes how they compare.
-- Run the script only once, because older versions do not support IF NOT EXISTS.
CREATE TABLE @@table@@ (
	lock_key RAW(1500) NOT NULL PRIMARY KEY,
	owner VARCHAR2(32 CHAR),
	instance VARCHAR2(255 CHAR),
	token NUMBER(19) NOT NULL,
	acquired_at TIMESTAMP(6) WITH TIME ZONE,
	expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
	waiting_until TIMESTAMP(6) WITH TIME ZONE,
	tick NUMBER(19),
	shared_until TIMESTAMP(6) WITH TIME ZONE,
	format NUMBER(5) DEFAULT 1 NOT NULL
);

CREATE TABLE @@reader_table@@ (
	lock_key RAW(1500) NOT NULL,
	owner VARCHAR2(32 CHAR) NOT NULL,
	instance VARCHAR2(255 CHAR),
	token NUMBER(19) NOT NULL,
	acquired_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
	expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
	PRIMARY KEY (lock_key, owner)
);
