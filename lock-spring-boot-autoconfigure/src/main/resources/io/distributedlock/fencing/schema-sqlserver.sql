-- The greatest fencing token that each resource has seen, and how often tokens were checked.
IF OBJECT_ID(N'@@table@@', N'U') IS NULL
CREATE TABLE @@table@@ (
	resource NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL PRIMARY KEY,
	token BIGINT NOT NULL,
	checks BIGINT NOT NULL
);
