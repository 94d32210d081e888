package io.distributedlock.engine;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.CompletionCauses;

/**
 * Default {@link Locks}, which queries the backend of an engine.
 *
 * @since 0.1.0
 */
public final class DefaultLocks implements Locks {

	private final LockEngine engine;

	/**
	 * Create the view.
	 * @param engine the engine whose backend is asked
	 */
	public DefaultLocks(LockEngine engine) {
		this.engine = engine;
	}

	@Override
	public Optional<LockInfo> find(String key) {
		String valid = validKey(key);
		return answer(this.engine.ask((backend) -> backend.find(valid)));
	}

	@Override
	public Stream<LockInfo> list() {
		return answer(this.engine.ask(BackendConnection::list)).stream();
	}

	@Override
	public boolean forceRelease(String key) {
		return answer(this.engine.forceRelease(validKey(key)));
	}

	private static String validKey(String key) {
		return LockRequest.of(key).getKeys().get(0);
	}

	private <T> T answer(CompletionStage<T> stage) {
		try {
			// Twice the timeout, for a backend that exceeds its own.
			long bound = this.engine.settings().callTimeout().multipliedBy(2).toMillis();
			return stage.toCompletableFuture().get(bound, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException("Interrupted while asking the backend " + this.engine.description());
		}
		catch (TimeoutException ex) {
			throw new LockUnavailableException("The backend " + this.engine.description() + " has not answered", ex);
		}
		catch (ExecutionException ex) {
			Throwable cause = CompletionCauses.unwrap(ex);
			throw new LockUnavailableException(
					"The backend " + this.engine.description() + " could not be asked: " + cause.getMessage(), cause);
		}
	}

}
