-- The greatest fencing token that each resource has seen, and how often tokens were checked.
CREATE TABLE IF NOT EXISTS @@table@@ (
	resource VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
	token BIGINT NOT NULL,
	checks BIGINT NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
