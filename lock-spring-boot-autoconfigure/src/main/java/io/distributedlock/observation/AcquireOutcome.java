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
	ACQUIRED("acquired"),

	/**
	 * A lease was handed over inside this JVM.
	 */
	HANDED_OVER("handed-over"),

	/**
	 * Another holder had the lock.
	 */
	BUSY("busy"),

	/**
	 * The store could not be asked, or any other fault.
	 */
	UNAVAILABLE("unavailable"),

	/**
	 * The caller was interrupted, or cancelled the call.
	 */
	CANCELLED("cancelled"),

	/**
	 * The tick of the request has run.
	 */
	DONE("done");

	private final String tag;

	AcquireOutcome(String tag) {
		this.tag = tag;
	}

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
