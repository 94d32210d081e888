package io.distributedlock.actuate;

import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.actuate.LocksDescriptors.ForcedReleaseDescriptor;
import io.distributedlock.actuate.LocksDescriptors.InstanceDescriptor;
import io.distributedlock.actuate.LocksDescriptors.PageDescriptor;
import io.distributedlock.actuate.LocksDescriptors.SingleLockDescriptor;
import io.distributedlock.actuate.LocksDescriptors.StoreDescriptor;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.HeldLease;
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.StoreMonitors;

/**
 * Shows the locks of this instance and of the cluster, why a lock is busy, and releases a
 * lock by force. Never shows an owner id. Each request is bounded in time and size.
 *
 * @since 0.1.0
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ InstanceDescriptor.class, PageDescriptor.class, SingleLockDescriptor.class,
		ForcedReleaseDescriptor.class })
public class LocksEndpoint {

	static final int DEFAULT_LIMIT = 100;

	private final String instance;

	private final StoreMonitors stores;

	private final LockAuditor auditor;

	private final Show showValues;

	/**
	 * Create the endpoint.
	 * @param instance the {@code lock.instance-id}
	 * @param stores the monitors of the stores
	 * @param auditor publishes an event for each forced release
	 * @param showValues whether the keys of locks are shown
	 */
	public LocksEndpoint(String instance, StoreMonitors stores, LockAuditor auditor, Show showValues) {
		this.instance = instance;
		this.stores = stores;
		this.auditor = auditor;
		this.showValues = showValues;
	}

	/**
	 * Return the leases and the waiters of this instance. Does not ask the stores.
	 * @return the descriptor
	 */
	@ReadOperation
	public InstanceDescriptor instance() {
		return instance(this.showValues.isShown(true));
	}

	InstanceDescriptor instance(boolean showKeys) {
		Map<String, StoreDescriptor> byName = new LinkedHashMap<>();
		this.stores.monitors().forEach((store) -> byName.put(store.name(), StoreDescriptor.of(store, showKeys)));
		return new InstanceDescriptor(this.instance, byName);
	}

	/**
	 * Return one lock of a store, or a page of its locks.
	 * @param store the name of the store
	 * @param key the key of one lock, or {@code null} for a page
	 * @param next the value from the previous page
	 * @param limit the greatest number of locks of a page
	 * @return the descriptor, or {@code null} if no store has this name
	 */
	@ReadOperation
	public @Nullable OperationResponseBody store(@Selector String store, @Nullable String key, @Nullable String next,
			@Nullable Integer limit) {
		return store(store, key, next, limit, this.showValues.isShown(true));
	}

	@Nullable OperationResponseBody store(String store, @Nullable String key, @Nullable String next, @Nullable Integer limit,
			boolean showKeys) {
		StoreMonitor found = this.stores.find(store).orElse(null);
		if (found == null) {
			return null;
		}
		return (key != null) ? lock(found, EndpointKeys.single(key)) : page(found, next, limit, showKeys);
	}

	private static PageDescriptor page(StoreMonitor store, @Nullable String next, @Nullable Integer limit,
			boolean showKeys) {
		int most = (limit != null) ? limit : DEFAULT_LIMIT;
		if (most < 1 || most > LocksDescriptors.MOST_ENTRIES) {
			throw new InvalidEndpointRequestException("The parameter 'limit' is out of range",
					"limit must be between 1 and " + LocksDescriptors.MOST_ENTRIES);
		}
		return PageDescriptor.of(store.name(), await(store, store.list(next, most)), showKeys);
	}

	private static SingleLockDescriptor lock(StoreMonitor store, String key) {
		Optional<LockInfo> info = Optional.empty();
		String error = null;
		try {
			info = await(store, store.find(key));
		}
		catch (LockUnavailableException ex) {
			error = LocksDescriptors.message(ex);
		}
		Optional<HeldLease> here = store.held().stream().filter((lease) -> lease.keys().contains(key)).findFirst();
		long waiters = store.waiting().stream().filter((call) -> call.keys().contains(key)).count();
		return SingleLockDescriptor.of(store.name(), key, info, here, waiters, error);
	}

	/**
	 * Take a lock away from its holder, in this instance or in another. The caller is not
	 * known.
	 * @param store the name of the store
	 * @param key the key
	 * @return the outcome, or {@code null} if no store has this name
	 */
	@DeleteOperation
	public @Nullable ForcedReleaseDescriptor forceRelease(@Selector String store, String key) {
		return forceRelease(store, key, null);
	}

	@Nullable ForcedReleaseDescriptor forceRelease(String store, String key, @Nullable Principal caller) {
		StoreMonitor found = this.stores.find(store).orElse(null);
		if (found == null) {
			return null;
		}
		String valid = EndpointKeys.single(key);
		String outcome = ForcedReleaseDescriptor.UNKNOWN;
		try {
			outcome = await(found, found.forceRelease(valid)) ? ForcedReleaseDescriptor.RELEASED
					: ForcedReleaseDescriptor.NOT_HELD;
		}
		finally {
			this.auditor.forcedRelease(caller, valid, store, outcome);
		}
		return new ForcedReleaseDescriptor(valid, store, outcome);
	}

	/**
	 * Wait for an answer, for twice the timeout of a call, in case the store exceeds its
	 * own.
	 */
	private static <T> T await(StoreMonitor store, CompletionStage<T> answer) {
		try {
			long bound = store.callTimeout().multipliedBy(2).toMillis();
			return answer.toCompletableFuture().get(bound, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException("Interrupted while asking the store '" + store.name() + "'");
		}
		catch (TimeoutException ex) {
			throw new LockUnavailableException("The store '" + store.name() + "' has not answered", ex);
		}
		catch (ExecutionException ex) {
			throw failure(store, CompletionCauses.unwrap(ex));
		}
	}

	private static RuntimeException failure(StoreMonitor store, Throwable cause) {
		if (cause instanceof InvalidLockRequestException) {
			return new InvalidEndpointRequestException("The store '" + store.name() + "' refuses the request",
					LocksDescriptors.message(cause), cause);
		}
		return new LockUnavailableException(
				"The store '" + store.name() + "' could not be asked: " + cause.getMessage(), cause);
	}

}
