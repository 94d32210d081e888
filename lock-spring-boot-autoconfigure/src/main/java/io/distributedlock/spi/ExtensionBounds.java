package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRequest;

/**
 * Checks the time by which a lease of any kind is extended.
 *
 * @since 0.1.0
 */
public final class ExtensionBounds {

	private ExtensionBounds() {
	}

	/**
	 * Check the time of an extension.
	 * @param keys the keys of the lease
	 * @param atLeast the time
	 * @throws InvalidLockRequestException if the time is {@code null}, not greater than
	 * zero, or longer than {@link LockRequest#MAX_HOLD_TIME}
	 */
	public static void check(List<String> keys, @Nullable Duration atLeast) {
		if (atLeast == null || atLeast.isNegative() || atLeast.isZero()
				|| atLeast.compareTo(LockRequest.MAX_HOLD_TIME) > 0) {
			throw new InvalidLockRequestException("The lease on " + keys + " can't be extended by " + atLeast
					+ ": the time must be more than zero and at most " + LockRequest.MAX_HOLD_TIME.toDays() + " days");
		}
	}

}
