package io.distributedlock.backend;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A backend that has connections, and whatever else it needs, between a start and a stop
 * only: calls go to what there is now, and fail at once where there is nothing.
 *
 * @param <O> what there is between a start and a stop
 * @since 0.1.0
 */
public abstract class OperatedBackend<O extends StoreOperation> implements LockBackend {

	// Set by start and stop, which the engine orders; read by everybody else.
	private volatile @Nullable O operation;

	@Override
	public final BackendConnection connect(BackendListener listener) {
		return new Calls(start(listener));
	}

	public final synchronized boolean start(BackendListener listener) {
		if (this.operation == null) {
			this.operation = open(listener);
			return true;
		}
		return false;
	}

	public final synchronized void stop() {
		O current = this.operation;
		this.operation = null;
		if (current != null) {
			close(current);
		}
	}

	/**
	 * Open connections, or get ready to open them on demand.
	 * @param listener to be told of listener that this backend finds by itself
	 * @return what calls go to from now on
	 */
	protected abstract O open(BackendListener listener);

	/**
	 * End what is under way and close what was opened. Nothing more is called on it.
	 * @param operation what was opened
	 */
	protected abstract void close(O operation);

	/**
	 * Create what calls fail with outside of start and stop.
	 * @return the fault, which says that nothing was sent
	 */
	protected abstract LockUnavailableException stopped();

	/**
	 * Return what there is now.
	 * @return the operation
	 * @throws LockUnavailableException outside of start and stop
	 */
	protected O operation() {
		O current = this.operation;
		if (current == null) {
			throw stopped();
		}
		return current;
	}

	/**
	 * Return what there is now, if anything.
	 * @return the operation, or {@code null} outside of start and stop
	 */
	protected final @Nullable O operationOrNull() {
		return this.operation;
	}

	/**
	 * Make a call to the store.
	 * @param <T> its answer
	 * @param operation what there is now
	 * @param call the call
	 * @return its answer
	 */
	protected <T> CompletionStage<T> call(O operation, Function<O, CompletionStage<T>> call) {
		return call.apply(operation);
	}

	private <T> CompletionStage<T> call(Function<O, CompletionStage<T>> call) {
		try {
			return call(operation(), call);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	public final CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return call((current) -> current.renewals().renew(renewals));
	}

	public final CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return call((current) -> current.releases().release(grant, cooldown));
	}

	public final CompletionStage<Void> abandon(List<Orphan> orphans) {
		return call((current) -> current.releases().abandon(orphans));
	}

	public final CompletionStage<Optional<LockInfo>> find(String key) {
		return call((current) -> current.inspection().find(key));
	}

	public final CompletionStage<List<LockInfo>> list() {
		return call((current) -> current.inspection().list());
	}

	public final CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return call((current) -> current.inspection().forceRelease(key, cooldown));
	}

	public abstract Contender contend(LockTarget target, Runnable wakeUp);

	public abstract CompletionStage<Boolean> wakesContenders(LockTarget target);

	private final class Calls implements BackendConnection {

		private final boolean opened;

		Calls(boolean opened) {
			this.opened = opened;
		}

		@Override
		public BackendTraits traits() {
			return OperatedBackend.this.traits();
		}

		@Override
		public Contender contend(LockTarget target, Runnable wakeUp) {
			return OperatedBackend.this.contend(target, wakeUp);
		}

		@Override
		public CompletionStage<Boolean> wakesContenders(LockTarget target) {
			return OperatedBackend.this.wakesContenders(target);
		}

		@Override
		public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
			return OperatedBackend.this.renew(renewals);
		}

		@Override
		public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
			return OperatedBackend.this.release(grant, cooldown);
		}

		@Override
		public CompletionStage<Void> abandon(List<Orphan> orphans) {
			return OperatedBackend.this.abandon(orphans);
		}

		@Override
		public CompletionStage<Optional<LockInfo>> find(String key) {
			return OperatedBackend.this.find(key);
		}

		@Override
		public CompletionStage<List<LockInfo>> list() {
			return OperatedBackend.this.list();
		}

		@Override
		public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
			return OperatedBackend.this.forceRelease(key, cooldown);
		}

		@Override
		public void close() {
			if (this.opened) {
				stop();
			}
		}

	}

}
