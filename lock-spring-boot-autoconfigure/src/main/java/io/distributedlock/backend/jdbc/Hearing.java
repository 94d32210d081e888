package io.distributedlock.backend.jdbc;

/**
 * Whether a waiter is told when its lock is released.
 */
enum Hearing {

	/**
	 * It never is: it polls, and a mark would be for nobody.
	 */
	NONE,

	/**
	 * It is not yet: it polls, and is woken once it is told.
	 */
	NOT_YET,

	/**
	 * It is told of every release from now on.
	 */
	NOW

}
