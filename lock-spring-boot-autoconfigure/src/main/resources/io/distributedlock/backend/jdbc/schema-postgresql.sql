-- IF NOT EXISTS alone fails if two sessions create the same table at once, so they take turns.
-- Room in each page keeps the updates of a hot row out of the index.
DO '
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext(''@@table@@''));

	CREATE TABLE IF NOT EXISTS @@table@@ (
		lock_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
		owner VARCHAR(32),
		instance VARCHAR(255),
		token BIGINT NOT NULL,
		acquired_at TIMESTAMPTZ,
		expires_at TIMESTAMPTZ NOT NULL,
		waiting_until TIMESTAMPTZ,
		tick BIGINT,
		shared_until TIMESTAMPTZ,
		format SMALLINT DEFAULT 1 NOT NULL
	) WITH (fillfactor = 70);

	CREATE TABLE IF NOT EXISTS @@reader_table@@ (
		lock_key TEXT COLLATE "C" NOT NULL,
		owner VARCHAR(32) NOT NULL,
		instance VARCHAR(255),
		token BIGINT NOT NULL,
		acquired_at TIMESTAMPTZ NOT NULL,
		expires_at TIMESTAMPTZ NOT NULL,
		PRIMARY KEY (lock_key, owner)
	) WITH (fillfactor = 70);
END';
