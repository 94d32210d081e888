package io.distributedlock.benchmarks.contest;

/**
 * How much a side does for each lock. Only sides that do the same are compared with a
 * goal.
 */
public enum Work {

	/**
	 * The least that the store allows: the bare commands by the same driver, without
	 * waiting and renewal.
	 */
	BARE,

	/**
	 * The locks of this project: wait, renewal, fencing token.
	 */
	SUBJECT,

	/**
	 * Another library that waits, renews and gives a token.
	 */
	SAME,

	/**
	 * Another library that lacks waiting, renewal or the token.
	 */
	LESS,

	/**
	 * Another build of this project, which shows what a change brings.
	 */
	BUILD

}
