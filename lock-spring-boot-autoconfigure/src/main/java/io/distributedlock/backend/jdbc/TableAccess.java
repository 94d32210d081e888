package io.distributedlock.backend.jdbc;

/**
 * What is done with the table of locks, and the rights that it needs there.
 */
enum TableAccess {

	/**
	 * Take a lock, or leave a waiter's mark.
	 */
	TAKE("take a lock", "SELECT, INSERT and UPDATE"),

	/**
	 * Renew or end leases.
	 */
	CHANGE("renew or release a lock", "SELECT and UPDATE"),

	/**
	 * Look at locks.
	 */
	READ("look at locks", "SELECT"),

	/**
	 * Delete rows that nobody uses.
	 */
	FORGET("delete the rows of locks that nobody uses", "SELECT and DELETE");

	private final String purpose;

	private final String rights;

	TableAccess(String purpose, String rights) {
		this.purpose = purpose;
		this.rights = rights;
	}

	String purpose() {
		return this.purpose;
	}

	String rights() {
		return this.rights;
	}

}
