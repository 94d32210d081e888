package io.distributedlock.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockPage;

/**
 * Default {@link Locks}, which queries the backend of an engine.
 *
 * @since 0.1.0
 */
public final class DefaultLocks implements Locks {

	private static final int PAGE = 500;

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

	/**
	 * Read the first page now, so that a store that can't be asked is reported here, and
	 * the others when the stream gets there.
	 */
	@Override
	public Stream<LockInfo> list() {
		Set<List<Object>> shown = new HashSet<>();
		return Stream.iterate(page(null), Optional::isPresent, (page) -> page.map(LockPage::next).flatMap(this::page))
			.flatMap((page) -> page.orElseThrow().locks().stream())
			.filter((lock) -> shown.add(List.of(lock.key(), lock.fencingToken())));
	}

	private Optional<LockPage> page(@Nullable String next) {
		return Optional.of(answer(this.engine.ask((store) -> store.list(next, PAGE))));
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
