package io.distributedlock.backend.jdbc;

/**
 * An operation on the table of locks, and the rights that it needs.
 *
 * @param purpose the operation, for messages
 * @param rights the rights, for messages
 */
record TableAccess(String purpose, String rights) {

	/**
	 * Take a lock, or leave a waiter's mark.
	 */
	static final TableAccess TAKE = new TableAccess("take a lock", "SELECT, INSERT and UPDATE");

	/**
	 * Renew or end leases.
	 */
	static final TableAccess CHANGE = new TableAccess("renew or release a lock", "SELECT and UPDATE");

	/**
	 * Look at locks.
	 */
	static final TableAccess READ = new TableAccess("look at locks", "SELECT");

	/**
	 * Delete unused rows.
	 */
	static final TableAccess FORGET = new TableAccess("delete the rows of unused locks", "SELECT and DELETE");

}
