package io.distributedlock.fencing;

import java.util.Locale;

/**
 * Statements with which a database keeps the greatest token of a resource, a single one
 * if the database supports it.
 */
enum FenceDialect {

	/**
	 * Changes no row if a greater token is stored.
	 */
	POSTGRESQL("""
			INSERT INTO @@table@@ AS fence (resource, token, checks) VALUES (?, ?, 1) \
			ON CONFLICT (resource) DO UPDATE SET token = EXCLUDED.token, checks = fence.checks + 1 \
			WHERE fence.token <= EXCLUDED.token""", Form.COUNTED),

	/**
	 * Changes no row if a greater token is stored.
	 */
	H2("""
			MERGE INTO @@table@@ AS fence \
			USING (VALUES (CAST(? AS VARCHAR), CAST(? AS BIGINT))) AS next (resource, token) \
			ON fence.resource = next.resource \
			WHEN MATCHED AND fence.token <= next.token THEN \
			UPDATE SET token = next.token, checks = fence.checks + 1 \
			WHEN NOT MATCHED THEN INSERT (resource, token, checks) VALUES (next.resource, next.token, 1)""",
			Form.COUNTED),

	/**
	 * Returns the token that is stored afterwards. Assignments run from left to right.
	 */
	MARIADB("""
			INSERT INTO @@table@@ (resource, token, checks) VALUES (?, ?, 1) \
			ON DUPLICATE KEY UPDATE checks = checks + 1, token = GREATEST(token, VALUES(token)) \
			RETURNING token""", Form.RETURNED),

	/**
	 * Updates, and inserts if there is no row.
	 */
	STANDARD("", Form.IN_STEPS);

	private final String sql;

	private final Form form;

	FenceDialect(String sql, Form form) {
		this.sql = sql;
		this.form = form;
	}

	String sql() {
		return this.sql;
	}

	Form form() {
		return this.form;
	}

	/**
	 * Choose the dialect of a server, whatever its driver.
	 * @param product the product name that the driver reports
	 * @param version the version that the server reports
	 */
	static FenceDialect of(String product, String version) {
		boolean mariadb = version.toLowerCase(Locale.ROOT).contains("mariadb") || product.equals("MariaDB");
		return switch (product) {
			case "PostgreSQL" -> POSTGRESQL;
			case "H2" -> H2;
			default -> mariadb ? MARIADB : STANDARD;
		};
	}

	/**
	 * How a statement shows that a token is stale.
	 */
	enum Form {

		/**
		 * It changes no row.
		 */
		COUNTED,

		/**
		 * It returns a greater one.
		 */
		RETURNED,

		/**
		 * It neither updates nor inserts a row.
		 */
		IN_STEPS

	}

}
