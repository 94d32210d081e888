package io.distributedlock.it.cluster;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;

/**
 * How a request of a cluster shares its keys.
 *
 * @param mode the mode
 * @param permits how many leases at a time, zero without permits
 */
record RequestedMode(LockMode mode, int permits) {

	static final RequestedMode EXCLUSIVE = new RequestedMode(LockMode.EXCLUSIVE, 0);

	static final RequestedMode SHARED = new RequestedMode(LockMode.SHARED, 0);

	static RequestedMode permits(int permits) {
		return new RequestedMode(LockMode.PERMITS, permits);
	}

	/**
	 * Return the mode that {@link #toString()} shows. Public for the binding of
	 * properties.
	 */
	public static RequestedMode valueOf(String text) {
		String[] words = text.split("-");
		return new RequestedMode(LockMode.valueOf(words[0]), (words.length > 1) ? Integer.parseInt(words[1]) : 0);
	}

	boolean isExclusive() {
		return this.mode == LockMode.EXCLUSIVE;
	}

	/**
	 * Return whether leases in this mode and in another one never overlap.
	 */
	boolean excludes(LockMode other) {
		return isExclusive() || this.mode != other;
	}

	LockRequest applyTo(LockRequest request) {
		return switch (this.mode) {
			case EXCLUSIVE -> request;
			case SHARED -> request.shared();
			case PERMITS -> request.permits(this.permits);
		};
	}

	@Override
	public String toString() {
		return (this.mode == LockMode.PERMITS) ? this.mode + "-" + this.permits : this.mode.toString();
	}

}
