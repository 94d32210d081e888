package io.distributedlock.observation;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.TickDoneException;

/**
 * How an acquisition ended.
 *
 * @since 0.1.0
 */
public enum AcquireOutcome {

	/**
	 * The store granted a lease.
	 */
	ACQUIRED,

	/**
	 * A lease was handed over inside this JVM.
	 */
	HANDED_OVER,

	/**
	 * Another holder had the lock.
	 */
	BUSY,

	/**
	 * The store could not be asked, or any other fault.
	 */
	UNAVAILABLE,

	/**
	 * The caller was interrupted, or cancelled the call.
	 */
	CANCELLED,

	/**
	 * The tick of the request has run.
	 */
	DONE;

	private final String tag = TagValues.of(this);

	/**
	 * Return the value of the tag.
	 * @return the value
	 */
	public String tag() {
		return this.tag;
	}

	/**
	 * Return whether the outcome is a fault. Contention is none.
	 * @return whether it is a fault
	 */
	public boolean isFault() {
		return this == UNAVAILABLE;
	}

	static AcquireOutcome of(Throwable failure) {
		if (failure instanceof LockBusyException) {
			return BUSY;
		}
		if (failure instanceof TickDoneException) {
			return DONE;
		}
		return (failure instanceof LockInterruptedException) ? CANCELLED : UNAVAILABLE;
	}

}
