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
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.StoreMonitors;

/**
 * The engines of an application's stores, one of which is the default. After
 * customization, a request goes to the store that it names, or else to the default store.
 *
 * @since 0.1.0
 */
public final class LockEngines implements StoreMonitors {

	private static final Logger logger = LoggerFactory.getLogger(LockEngines.class);

	private final LockEngine standard;

	// Unmodifiable, in the given order.
	private final Map<String, LockEngine> engines;

	private final @Nullable String store;

	/**
	 * Create the set of engines.
	 * @param standard the engine of requests that name no store; its customizers are
	 * applied to all requests
	 * @param further the engines of the other stores, each with a different name
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
	 * Return a set with one engine.
	 */
	static LockEngines of(LockEngine engine) {
		return new LockEngines(engine, List.of());
	}

	/**
	 * Return the same engines for a front end of one store. Requests that do not name a
	 * store go to this one, and requests that name another are refused.
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

	@Override
	public Collection<StoreMonitor> monitors() {
		return all().stream().map(LockEngine::monitor).toList();
	}

	/**
	 * Return the engine of a store.
	 * @param name the name of the store
	 * @return the engine
	 * @throws IllegalArgumentException if no store has this name
	 */
	public LockEngine get(String name) {
		LockEngine engine = this.engines.get(name);
		if (engine == null) {
			throw new IllegalArgumentException("There is no engine '" + name + "' among " + this.engines.keySet());
		}
		return engine;
	}

	/**
	 * Return a request as it is to be sent. Customizers may change any option, including
	 * its store.
	 * @param request the request as it was made
	 * @return the request to send
	 * @throws InvalidLockRequestException if the request names a store other than that of
	 * its front end
	 */
	public LockRequest prepare(LockRequest request) {
		return this.standard.customize((this.store != null) ? at(this.store, request) : request);
	}

	/**
	 * Return the engine that serves a request.
	 * @param prepared the request, {@linkplain #prepare prepared}
	 * @return the engine
	 * @throws InvalidLockRequestException if the request names a store that is not
	 * configured
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
	 * Wait until no lease is held at any store, while the engines keep running. A
	 * shutdown does this before it stops the engines, so that bodies can complete.
	 * @param atMost the longest wait; with zero the method returns immediately
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
			// Holders may acquire further leases meanwhile, at any store.
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
		return all().stream().flatMap((engine) -> engine.held().stream()).filter(DefaultLease::hasHolder).toList();
	}

	private static CompletableFuture<Void> allEnded(List<DefaultLease> leases) {
		return CompletableFuture.allOf(leases.stream().map(DefaultLease::ended).toArray(CompletableFuture[]::new));
	}

	/**
	 * Return a request that names the store of its front end.
	 */
	static LockRequest at(String store, LockRequest request) {
		String named = request.getBackend();
		if (named != null && !named.equals(store)) {
			throw new InvalidLockRequestException("The lock on " + request.getKeys() + " names the backend '" + named
					+ "', but was requested through a front end of '" + store + "' only");
		}
		return (named != null) ? request : request.backend(store);
	}

}
