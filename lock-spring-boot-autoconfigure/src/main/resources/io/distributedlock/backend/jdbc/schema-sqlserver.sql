-- Keys are kept as the bytes of their UTF-8 form, so that no collation changes how they compare. Their index is not
-- clustered, because a clustered one has room for only 900 bytes. Times are UTC. The type timestamp does not store
-- times.
IF OBJECT_ID(N'@@table@@', N'U') IS NULL
CREATE TABLE @@table@@ (
	lock_key VARBINARY(1500) NOT NULL PRIMARY KEY NONCLUSTERED,
	owner VARCHAR(32) COLLATE Latin1_General_BIN2,
	instance NVARCHAR(255),
	token BIGINT NOT NULL,
	acquired_at DATETIME2(7),
	expires_at DATETIME2(7) NOT NULL,
	waiting_until DATETIME2(7),
	tick BIGINT,
	shared_until DATETIME2(7),
	format SMALLINT DEFAULT 1 NOT NULL
);

IF OBJECT_ID(N'@@reader_table@@', N'U') IS NULL
CREATE TABLE @@reader_table@@ (
	lock_key VARBINARY(1500) NOT NULL,
	owner VARCHAR(32) COLLATE Latin1_General_BIN2 NOT NULL,
	instance NVARCHAR(255),
	token BIGINT NOT NULL,
	acquired_at DATETIME2(7) NOT NULL,
	expires_at DATETIME2(7) NOT NULL,
	PRIMARY KEY NONCLUSTERED (lock_key, owner)
);
