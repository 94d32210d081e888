package io.distributedlock.backend.jdbc;

/**
 * How a statement that takes a lock returns the grant.
 */
enum GrantReturn {

	/**
	 * The resulting row. One statement takes the lock, whether or not its row exists.
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
	 * The token in a parameter, which stays {@code NULL} if no row was changed.
	 */
	OUT_PARAMETER,

	/**
	 * Only the number of changed rows. Another statement reads the row, which contains
	 * its owner.
	 */
	READ_BACK

}
