-- The greatest fencing token that each resource has seen, and how often tokens were checked.
-- Run it once: older versions know no IF NOT EXISTS.
CREATE TABLE @@table@@ (
	resource VARCHAR2(255 CHAR) NOT NULL PRIMARY KEY,
	token NUMBER(19) NOT NULL,
	checks NUMBER(19) NOT NULL
);
