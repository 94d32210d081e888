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
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LossListener;
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
	public final synchronized void start(LossListener losses) {
		if (this.operation == null) {
			this.operation = open(losses);
		}
	}

	@Override
	public final synchronized void stop() {
		O current = this.operation;
		this.operation = null;
		if (current != null) {
			close(current);
		}
	}

	/**
	 * Open connections, or get ready to open them on demand.
	 * @param losses to be told of losses that this backend finds by itself
	 * @return what calls go to from now on
	 */
	protected abstract O open(LossListener losses);

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

	@Override
	public final CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return call((current) -> current.renewals().renew(renewals));
	}

	@Override
	public final CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return call((current) -> current.releases().release(grant, cooldown));
	}

	@Override
	public final CompletionStage<Void> abandon(List<Orphan> orphans) {
		return call((current) -> current.releases().abandon(orphans));
	}

	@Override
	public final CompletionStage<Optional<LockInfo>> find(String key) {
		return call((current) -> current.inspection().find(key));
	}

	@Override
	public final CompletionStage<List<LockInfo>> list() {
		return call((current) -> current.inspection().list());
	}

	@Override
	public final CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return call((current) -> current.inspection().forceRelease(key, cooldown));
	}

}
