package io.distributedlock.backend.jdbc;

/**
 * How a statement that takes a lock gives back what it granted.
 */
enum GrantReturn {

	/**
	 * The row as it is then. One statement takes the lock, whether its row is there or
	 * not.
	 */
	ROW,

	/**
	 * The token as the only column of a row.
	 */
	TOKEN,

	/**
	 * The token as a generated key, for which the statement passes it through
	 * {@code LAST_INSERT_ID}.
	 */
	GENERATED_KEY,

	/**
	 * The token in a parameter, which stays {@code NULL} where no row was changed.
	 */
	OUT_PARAMETER,

	/**
	 * Only the number of changed rows: the row is read by another statement, and says
	 * whose it is.
	 */
	READ_BACK

}
