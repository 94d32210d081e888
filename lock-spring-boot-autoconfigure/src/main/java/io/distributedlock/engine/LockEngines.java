package io.distributedlock.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * The engines of the stores of an application, one of which is the default, and the
 * choice among them: a request goes to the store that it names, as it is after the
 * customizers had their say; else to the default one.
 *
 * @since 0.1.0
 */
public final class LockEngines {

	private static final Logger logger = LoggerFactory.getLogger(LockEngines.class);

	private final LockEngine standard;

	// Unmodifiable, in the order in which they were given.
	private final Map<String, LockEngine> engines;

	private final @Nullable String store;

	/**
	 * Create the set of engines.
	 * @param standard the engine of requests that name no store; its customizers are
	 * asked for all requests
	 * @param further the engines of the other stores, each with a name of its own
	 */
	public LockEngines(LockEngine standard, Collection<LockEngine> further) {
		Map<String, LockEngine> byName = new LinkedHashMap<>();
		byName.put(standard.name(), standard);
		for (LockEngine engine : further) {
			if (byName.putIfAbsent(engine.name(), engine) != null) {
				throw new IllegalArgumentException("Two engines have the name '" + engine.name() + "'");
			}
		}
		this.standard = standard;
		this.engines = Collections.unmodifiableMap(byName);
		this.store = null;
	}

	private LockEngines(LockEngines all, String store) {
		this.standard = all.standard;
		this.engines = all.engines;
		this.store = store;
	}

	/**
	 * Return the set of one engine.
	 */
	static LockEngines of(LockEngine engine) {
		return new LockEngines(engine, List.of());
	}

	/**
	 * Return the same engines for a front end of one store: requests that name none go to
	 * this one, and those that name another are refused.
	 * @param name the name of the store
	 * @return the engines
	 */
	public LockEngines at(String name) {
		get(name);
		return new LockEngines(this, name);
	}

	/**
	 * Return the engine of requests that name no store.
	 * @return the engine of the default store
	 */
	public LockEngine standard() {
		return this.standard;
	}

	/**
	 * Return all engines.
	 * @return the engines, that of the default store first
	 */
	public Collection<LockEngine> all() {
		return this.engines.values();
	}

	/**
	 * Return the engine of a store.
	 * @param name the name of the store
	 * @return the engine
	 * @throws IllegalArgumentException if there is none of this name
	 */
	public LockEngine get(String name) {
		LockEngine engine = this.engines.get(name);
		if (engine == null) {
			throw new IllegalArgumentException("There is no engine '" + name + "' among " + this.engines.keySet());
		}
		return engine;
	}

	/**
	 * Return a request as it is to be sent: customizers may change everything, its store
	 * included.
	 * @param request the request as it was made
	 * @return the request to send
	 * @throws InvalidLockRequestException if the request names another store than that of
	 * the front end that it was made to
	 */
	public LockRequest prepare(LockRequest request) {
		return this.standard.customize((this.store != null) ? at(this.store, request) : request);
	}

	/**
	 * Return the engine that serves a request.
	 * @param prepared the request, {@linkplain #prepare prepared}
	 * @return the engine
	 * @throws InvalidLockRequestException if the request names a store that there is not
	 */
	public LockEngine engineFor(LockRequest prepared) {
		String name = prepared.getBackend();
		if (name == null) {
			return this.standard;
		}
		LockEngine engine = this.engines.get(name);
		if (engine == null) {
			throw new InvalidLockRequestException("The lock on " + prepared.getKeys() + " names the backend '" + name
					+ "', which is not set up; there are " + this.engines.keySet());
		}
		return engine;
	}

	/**
	 * Wait until no lease is held any more at any store, while all goes on. A shutdown
	 * does so before it stops the engines, for bodies that will come to their end.
	 * @param atMost how long to wait; zero for not at all
	 */
	public void awaitHolders(Duration atMost) {
		List<DefaultLease> held = held();
		if (held.isEmpty() || atMost.isZero()) {
			return;
		}
		logger.info("Waiting up to {} for the holders of {} leases", atMost, held.size());
		CompletableFuture<Void> over = new CompletableFuture<>();
		Timeout timeout = this.standard.clock().schedule(atMost, () -> over.complete(null));
		try {
			// Who holds a lease may acquire another one meanwhile, here or there.
			while (!held.isEmpty() && !over.isDone()) {
				logger.debug("Held are {}", held);
				CompletableFuture.anyOf(over, allEnded(held)).get();
				held = held();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			timeout.cancel();
		}
	}

	private List<DefaultLease> held() {
		return all().stream().flatMap((engine) -> engine.held().stream()).toList();
	}

	private static CompletableFuture<Void> allEnded(List<DefaultLease> leases) {
		return CompletableFuture.allOf(leases.stream().map(DefaultLease::ended).toArray(CompletableFuture[]::new));
	}

	/**
	 * Let a request name the store of the front end that it was made to.
	 */
	static LockRequest at(String store, LockRequest request) {
		String named = request.getBackend();
		if (named != null && !named.equals(store)) {
			throw new InvalidLockRequestException("The lock on " + request.getKeys() + " names the backend '" + named
					+ "', but was asked for where all locks are those of '" + store + "'");
		}
		return (named != null) ? request : request.backend(store);
	}

}
