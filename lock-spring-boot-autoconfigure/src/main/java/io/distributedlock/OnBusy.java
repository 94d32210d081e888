package io.distributedlock;

/**
 * Determines what happens to a call of a {@link DistributedLock} method whose lock is
 * busy.
 *
 * @since 0.1.0
 */
public enum OnBusy {

	/**
	 * {@link #SKIP} when the scheduler calls a {@code @Scheduled} method, {@link #THROW}
	 * otherwise.
	 */
	DEFAULT,

	/**
	 * The call ends with a {@link LockBusyException} when the wait time is over.
	 */
	THROW,

	/**
	 * The body does not run; the call returns the empty value of its return type:
	 * {@code Optional.empty()} for an {@code Optional}, {@code null} for other objects. A
	 * primitive return type is refused at startup.
	 */
	SKIP

}
