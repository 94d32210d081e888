package io.distributedlock.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;

import io.distributedlock.LockInfo;
import io.distributedlock.LockKeys;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.observation.TagValues;
import io.distributedlock.spi.HeldLease;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.WaitingRequest;

/**
 * The answers of the {@link LocksEndpoint}. Times are in milliseconds. None has an owner
 * id.
 *
 * @since 0.1.0
 */
public final class LocksDescriptors {

	static final int MOST_ENTRIES = 1_000;

	private LocksDescriptors() {
	}

	static String message(Throwable failure) {
		String message = failure.getMessage();
		return LockKeys.printable((message != null) ? message : failure.toString());
	}

	private static List<String> keys(List<String> keys, boolean shown) {
		return shown ? keys : Collections.nCopies(keys.size(), SanitizableData.SANITIZED_VALUE);
	}

	private static @Nullable Long millis(@Nullable Duration time) {
		return (time != null) ? time.toMillis() : null;
	}

	/**
	 * The locks of this instance.
	 *
	 * @param instance the {@code lock.instance-id}
	 * @param stores the stores by name
	 */
	public record InstanceDescriptor(String instance,
			Map<String, StoreDescriptor> stores) implements OperationResponseBody {
	}

	/**
	 * The locks of this instance at one store.
	 *
	 * @param address the address of the store
	 * @param circuit the state of the circuit
	 * @param heldCount the number of leases
	 * @param waitingCount the number of waiting calls
	 * @param held the leases, the longest held first
	 * @param waiting the calls, the longest waiting first
	 * @param truncated whether there are more than shown
	 */
	public record StoreDescriptor(@Nullable String address, String circuit, int heldCount, int waitingCount,
			List<LeaseDescriptor> held, List<WaiterDescriptor> waiting, boolean truncated) {

		static StoreDescriptor of(StoreMonitor store, boolean showKeys) {
			List<HeldLease> held = new ArrayList<>(store.held());
			List<WaitingRequest> waiting = new ArrayList<>(store.waiting());
			held.sort((one, other) -> other.heldFor().compareTo(one.heldFor()));
			waiting.sort((one, other) -> other.waited().compareTo(one.waited()));
			return new StoreDescriptor(store.address(), TagValues.of(store.circuit()), held.size(), waiting.size(),
					held.stream().limit(MOST_ENTRIES).map((lease) -> LeaseDescriptor.of(lease, showKeys)).toList(),
					waiting.stream().limit(MOST_ENTRIES).map((call) -> WaiterDescriptor.of(call, showKeys)).toList(),
					held.size() > MOST_ENTRIES || waiting.size() > MOST_ENTRIES);
		}

	}

	/**
	 * A lease of this instance.
	 *
	 * @param keys the keys
	 * @param name the name of the request
	 * @param mode the mode
	 * @param heldMs the time since the acquisition
	 * @param remainingMs the remaining validity
	 * @param lastRenewalMs the time since the last renewal
	 * @param fencingToken the token, as a text because it may exceed 2^53
	 * @param handOvers how often the grant was handed over before
	 */
	public record LeaseDescriptor(List<String> keys, @Nullable String name, String mode, long heldMs, long remainingMs,
			@Nullable Long lastRenewalMs, String fencingToken, int handOvers) {

		static LeaseDescriptor of(HeldLease lease, boolean showKeys) {
			return new LeaseDescriptor(LocksDescriptors.keys(lease.keys(), showKeys), lease.name(),
					TagValues.of(lease.mode()), lease.heldFor().toMillis(), lease.remaining().toMillis(),
					millis(lease.sinceRenewal()), Long.toString(lease.fencingToken()), lease.handOvers());
		}

	}

	/**
	 * A call of this instance that waits.
	 *
	 * @param keys the keys
	 * @param name the name of the request
	 * @param mode the mode
	 * @param waitedMs the time since the request was made
	 * @param remainingWaitMs the remaining wait time
	 */
	public record WaiterDescriptor(List<String> keys, @Nullable String name, String mode, long waitedMs,
			long remainingWaitMs) {

		static WaiterDescriptor of(WaitingRequest call, boolean showKeys) {
			return new WaiterDescriptor(LocksDescriptors.keys(call.keys(), showKeys), call.name(),
					TagValues.of(call.mode()), call.waited().toMillis(), call.remaining().toMillis());
		}

	}

	/**
	 * A page of the locks of all instances.
	 *
	 * @param store the name of the store
	 * @param locks the locks
	 * @param next the parameter for the next page, or {@code null} on the last one
	 */
	public record PageDescriptor(String store, List<LockDescriptor> locks,
			@Nullable String next) implements OperationResponseBody {

		/**
		 * Describe a page. Where the next one begins may be a key, and so is only shown
		 * with the keys.
		 */
		static PageDescriptor of(String store, LockPage page, boolean showKeys) {
			String next = page.next();
			return new PageDescriptor(store,
					page.locks().stream().map((lock) -> LockDescriptor.of(lock, showKeys)).toList(),
					(next == null || showKeys) ? next : SanitizableData.SANITIZED_VALUE);
		}

	}

	/**
	 * A lock of any instance.
	 *
	 * @param key the key
	 * @param instance the {@code lock.instance-id} of the holder
	 * @param mode the mode
	 * @param heldMs the time since the store granted it
	 * @param remainingMs the time until it expires at the store
	 * @param fencingToken the token, as a text because it may exceed 2^53
	 */
	public record LockDescriptor(String key, String instance, String mode, long heldMs, long remainingMs,
			String fencingToken) {

		static LockDescriptor of(LockInfo lock, boolean showKeys) {
			return new LockDescriptor(showKeys ? lock.key() : SanitizableData.SANITIZED_VALUE, lock.instance(),
					TagValues.of(lock.mode()), lock.heldFor().toMillis(), lock.remaining().toMillis(),
					Long.toString(lock.fencingToken()));
		}

	}

	/**
	 * One lock, and why it is busy.
	 *
	 * @param store the name of the store
	 * @param key the key
	 * @param reason {@code free}, {@code held-here} or {@code held-by-another-instance};
	 * {@code unavailable} if the store could not be asked
	 * @param holder the holder, or {@code null} if the key is free or the holder is not
	 * known
	 * @param localWaiters how many calls of this instance wait for it
	 * @param lastRenewalMs the time since the last renewal, if it is held here
	 * @param error why the store could not be asked
	 */
	public record SingleLockDescriptor(String store, String key, String reason, @Nullable LockDescriptor holder,
			long localWaiters, @Nullable Long lastRenewalMs, @Nullable String error) implements OperationResponseBody {

		static SingleLockDescriptor of(String store, String key, Optional<LockInfo> info, Optional<HeldLease> here,
				long waiters, @Nullable String error) {
			// The caller knows the key.
			LockDescriptor holder = info.map((lock) -> LockDescriptor.of(lock, true)).orElse(null);
			Duration sinceRenewal = here.map(HeldLease::sinceRenewal).orElse(null);
			return new SingleLockDescriptor(store, key, reason(holder, here.isPresent(), error), holder, waiters,
					millis(sinceRenewal), error);
		}

		private static String reason(@Nullable LockDescriptor holder, boolean here, @Nullable String error) {
			if (error != null) {
				return "unavailable";
			}
			if (holder == null) {
				return "free";
			}
			return here ? "held-here" : "held-by-another-instance";
		}

	}

	/**
	 * The outcome of a forced release.
	 *
	 * @param key the key
	 * @param store the name of the store
	 * @param outcome {@code released} or {@code not-held}; {@code unknown} in audit
	 * events only
	 */
	public record ForcedReleaseDescriptor(String key, String store, String outcome) implements OperationResponseBody {

		static final String RELEASED = "released";

		static final String NOT_HELD = "not-held";

		static final String UNKNOWN = "unknown";

	}

	/**
	 * Why a store could not be asked.
	 *
	 * @param store the name of the store
	 * @param error the reason
	 */
	public record FailureDescriptor(String store, String error) implements OperationResponseBody {

		static FailureDescriptor of(String store, LockUnavailableException failure) {
			return new FailureDescriptor(store, message(failure));
		}

	}

}
