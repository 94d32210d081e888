package io.distributedlock.backend.jdbc;

/**
 * What is done with the table of locks, and the rights that it needs there.
 *
 * @param purpose what is done, as messages have it
 * @param rights the rights, as messages have them
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
	 * Delete rows that nobody uses.
	 */
	static final TableAccess FORGET = new TableAccess("delete the rows of locks that nobody uses", "SELECT and DELETE");

}
