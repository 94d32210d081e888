-- The greatest fencing token that each resource has seen, and how often tokens were checked.
CREATE TABLE IF NOT EXISTS @@table@@ (
	resource VARCHAR(255) COLLATE "C" NOT NULL PRIMARY KEY,
	token BIGINT NOT NULL,
	checks BIGINT NOT NULL
);
