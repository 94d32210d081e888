package io.distributedlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.spi.Scopes;

/**
 * Scopes that grant, refuse and fail as a test specifies, and record their requests.
 */
public class RecordingScopes implements Scopes {

	/** The backend of requests that name none. */
	public static final String DEFAULT_BACKEND = "standard";

	/** Requests and entries of tests, in their order. */
	public final List<String> log = new CopyOnWriteArrayList<>();

	public final List<LockRequest> requests = new CopyOnWriteArrayList<>();

	private volatile boolean busy;

	private volatile boolean stopped;

	private final Set<String> busyKeys = ConcurrentHashMap.newKeySet();

	private volatile @Nullable RuntimeException fault;

	private volatile @Nullable RuntimeException releaseFault;

	public void busy() {
		this.busy = true;
	}

	/** Make one key busy. */
	public void busyFor(String key) {
		this.busyKeys.add(key);
	}

	private boolean isBusy(LockRequest request) {
		return this.busy || this.busyKeys.contains(request.getKeys().get(0));
	}

	public void free() {
		this.busyKeys.clear();
		this.busy = false;
		this.fault = null;
	}

	public void failWith(RuntimeException fault) {
		this.fault = fault;
	}

	/** Refuse all requests, as if the application stopped. */
	public void stop() {
		this.stopped = true;
		this.fault = new LockUnavailableException("stopped");
	}

	public void failReleaseWith(RuntimeException fault) {
		this.releaseFault = fault;
	}

	/** Lose the lease of the running code. */
	public static void loseCurrentLease() {
		((RecordedLease) LockContext.current()).lose();
	}

	public List<String> keys() {
		return this.requests.stream().flatMap((request) -> request.getKeys().stream()).toList();
	}

	public LockRequest firstRequest(String key) {
		return this.requests.stream()
			.filter((request) -> request.getKeys().contains(key))
			.findFirst()
			.orElseThrow(() -> new AssertionError("There is no request for " + key));
	}

	public LockRequest onlyRequest() {
		if (this.requests.size() != 1) {
			throw new AssertionError("There is not one request, but " + this.requests);
		}
		return this.requests.get(0);
	}

	@Override
	public Scope open(LockRequest request) {
		record("open", request);
		if (isBusy(request)) {
			throw new LockBusyException(request.getKeys().get(0), "busy", null);
		}
		return new RecordedScope(request);
	}

	@Override
	public Optional<Scope> tryOpen(LockRequest request) {
		record("try", request);
		return isBusy(request) ? Optional.empty() : Optional.of(new RecordedScope(request));
	}

	@Override
	public String backendOf(LockRequest request) {
		return (request.getBackend() != null) ? request.getBackend() : DEFAULT_BACKEND;
	}

	@Override
	public List<Lease> leasesThatMatter() {
		return LockContext.find().map(List::of).orElse(List.of());
	}

	@Override
	public boolean areStopped() {
		return this.stopped;
	}

	private void record(String how, LockRequest request) {
		this.log.add(how + " " + request.getKeys().get(0));
		this.requests.add(request);
		RuntimeException failure = this.fault;
		if (failure != null) {
			throw failure;
		}
	}

	private final class RecordedScope implements Scope {

		private final RecordedLease lease;

		private final LockContext.Binding binding;

		RecordedScope(LockRequest request) {
			this.lease = new RecordedLease(request);
			this.binding = LockContext.bind(this.lease);
		}

		@Override
		public RecordedLease lease() {
			return this.lease;
		}

		@Override
		public void cooldown(Duration cooldown) {
			if (!cooldown.isZero()) {
				RecordingScopes.this.log.add("cooldown " + cooldown + " " + this.lease.key());
			}
		}

		@Override
		public Optional<LeaseLostException> close() {
			this.binding.close();
			RecordingScopes.this.log.add("close " + this.lease.key());
			RuntimeException failure = RecordingScopes.this.releaseFault;
			if (failure != null) {
				throw failure;
			}
			return this.lease.isHeld() ? Optional.empty()
					: Optional.of(new LeaseLostException(this.lease.key(), LossReason.TAKEN, "lost"));
		}

		@Override
		public void ignoreLoss() {
			RecordingScopes.this.log.add("ignore loss " + this.lease.key());
		}

	}

}
