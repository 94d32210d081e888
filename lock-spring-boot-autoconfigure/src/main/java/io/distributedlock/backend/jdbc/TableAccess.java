package io.distributedlock.backend.jdbc;

import io.distributedlock.spi.LockTarget;

/**
 * An operation on the table of locks, and the rights that it needs.
 *
 * @param purpose the operation, for messages
 * @param rights the rights, for messages
 * @param members whether it uses the table of members, too
 */
record TableAccess(String purpose, String rights, boolean members) {

	/**
	 * Take a lock, or leave a waiter's mark.
	 */
	static final TableAccess TAKE = new TableAccess("take a lock", "SELECT, INSERT and UPDATE", false);

	/**
	 * Take a shared lease or a permit.
	 */
	static final TableAccess ENTER = new TableAccess("take a shared lock or a permit",
			"SELECT, INSERT, UPDATE and DELETE", true);

	/**
	 * Renew or end leases.
	 */
	static final TableAccess CHANGE = new TableAccess("renew or release a lock", "SELECT and UPDATE", false);

	/**
	 * Renew or end shared leases or permits.
	 */
	static final TableAccess CHANGE_MEMBERS = new TableAccess("renew or release a shared lock or a permit",
			"SELECT, UPDATE and DELETE", true);

	/**
	 * Look at locks.
	 */
	static final TableAccess READ = new TableAccess("look at locks", "SELECT", false);

	/**
	 * Delete unused rows.
	 */
	static final TableAccess FORGET = new TableAccess("delete the rows of unused locks", "SELECT and DELETE", false);

	/**
	 * Return the tables that it uses.
	 * @param settings the settings that name them
	 * @return the tables, for messages
	 */
	String tables(JdbcLockSettings settings) {
		return this.members ? "tables '" + settings.table() + "' and '" + settings.readerTable() + "'"
				: "table '" + settings.table() + "'";
	}

	/**
	 * Return the operation that takes what is asked for.
	 */
	static TableAccess taking(LockTarget target) {
		return target.isGroup() ? ENTER : TAKE;
	}

	/**
	 * Return the operation that changes a lease.
	 */
	static TableAccess changing(LockTarget target) {
		return target.isGroup() ? CHANGE_MEMBERS : CHANGE;
	}

}
