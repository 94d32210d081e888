package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRequest;
import io.distributedlock.LockRequestCustomizer;
import io.distributedlock.LossReason;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.StoreMonitor;

/**
 * Acquires, renews and releases leases of one backend. No thread is parked inside the
 * engine: an acquisition is a future in the queue of its key, and a blocking caller waits
 * for its future.
 * <p>
 * An engine starts automatically on first use, refuses requests after it was stopped, and
 * can be started again.
 *
 * @since 0.1.0
 */
public final class LockEngine {

	private static final Logger logger = LoggerFactory.getLogger(LockEngine.class);

	private enum Phase {

		NEW, RUNNING, STOPPED

	}

	private final String name;

	private final LockBackend backend;

	private final EngineSettings settings;

	private final List<LockRequestCustomizer> customizers;

	private final EngineParts parts;

	private final KeyQueues queues;

	private final LeaseAcquirer acquirer;

	private final StoreMonitor monitor;

	// Written under the monitor; read without it by every request.
	private volatile Phase phase = Phase.NEW;

	/**
	 * Create an engine that has the name of its backend.
	 * @param backend the store
	 * @param settings the defaults of requests
	 * @param clock the source of time
	 * @param listeners notified of all events
	 * @param customizers change requests before they are sent, in this order
	 */
	public LockEngine(LockBackend backend, EngineSettings settings, LockClock clock, List<LockListener> listeners,
			List<LockRequestCustomizer> customizers) {
		this(backend.name(), backend, settings, clock, listeners, customizers);
	}

	/**
	 * Create an engine.
	 * @param name the name of the store in requests, events and errors
	 * @param backend the store
	 * @param settings the defaults of requests
	 * @param clock the source of time
	 * @param listeners notified of all events
	 * @param customizers change requests before they are sent, in this order
	 */
	public LockEngine(String name, LockBackend backend, EngineSettings settings, LockClock clock,
			List<LockListener> listeners, List<LockRequestCustomizer> customizers) {
		this(name, backend, settings, clock, listeners, customizers, EngineInstruments.NONE);
	}

	/**
	 * Create an engine that is watched and bounded.
	 * @param name the name of the store in requests, events and errors
	 * @param backend the store
	 * @param settings the defaults of requests
	 * @param clock the source of time
	 * @param listeners notified of all events
	 * @param customizers change requests before they are sent, in this order
	 * @param instruments what watches the engine, and bounds what it may do
	 */
	public LockEngine(String name, LockBackend backend, EngineSettings settings, LockClock clock,
			List<LockListener> listeners, List<LockRequestCustomizer> customizers, EngineInstruments instruments) {
		this.name = name;
		this.backend = backend;
		this.settings = settings;
		this.customizers = List.copyOf(customizers);
		this.parts = EngineParts.of(name, backend, settings, clock, listeners, instruments);
		this.queues = new KeyQueues(this.parts);
		this.acquirer = new LeaseAcquirer(this.parts, this.queues, this::open);
		this.monitor = new EngineMonitor(this, this.parts, this.queues);
		this.parts.gates().onOpen(() -> this.queues.all().forEach(KeyQueue::wakeUp));
	}

	/**
	 * Return the name of the store in requests, events and errors.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the name of the store, in quotes, and its address if it is known, for
	 * messages.
	 * @return the text, as in {@code 'redis' at localhost:6379}
	 */
	public String description() {
		return this.parts.backend().withAddress();
	}

	/**
	 * Return the view of this engine and its store, for metrics, health and
	 * administration.
	 * @return the monitor
	 */
	public StoreMonitor monitor() {
		return this.monitor;
	}

	/**
	 * Return the store.
	 * @return the backend
	 */
	public LockBackend backend() {
		return this.backend;
	}

	/**
	 * Return the defaults of requests.
	 * @return the settings
	 */
	public EngineSettings settings() {
		return this.settings;
	}

	/**
	 * Start this engine, for the first time or again after a {@link #stop()}. Has no
	 * effect while it is running.
	 */
	public synchronized void start() {
		if (this.phase != Phase.RUNNING) {
			this.parts.calls().open(this.queues);
			this.phase = Phase.RUNNING;
		}
	}

	LockClock clock() {
		return this.parts.clock();
	}

	/**
	 * Send a query about the locks that are held to the backend.
	 */
	<T> CompletionStage<T> ask(Function<BackendConnection, CompletionStage<T>> question) {
		open();
		return this.parts.calls().call(question);
	}

	/**
	 * Take a key away from its holder, in this JVM or in another.
	 */
	CompletionStage<Boolean> forceRelease(String key) {
		open();
		return this.queues.forceRelease(key);
	}

	/**
	 * Return the leases that are held now.
	 */
	List<DefaultLease> held() {
		return this.parts.watchdog().leases().stream().filter(DefaultLease::isOpen).toList();
	}

	/**
	 * Refuse new requests, end the waiters and release the leases that are still held;
	 * their holders are notified of the loss. The backend is closed when the store has
	 * answered all releases, at the latest after the stop timeout.
	 */
	public synchronized void stop() {
		boolean running = this.phase == Phase.RUNNING;
		this.parts.calls().stop();
		this.phase = Phase.STOPPED;
		if (!running) {
			return;
		}
		try {
			this.queues.all().forEach(this::endWaiters);
			List<DefaultLease> leases = this.parts.watchdog().leases();
			leases.forEach((lease) -> lease.lose(LossReason.STOPPED));
			awaitAnswers(leases);
			this.parts.reaper().clear();
		}
		finally {
			this.parts.calls().close();
		}
	}

	private void endWaiters(KeyQueue queue) {
		List<Waiter> waiters = queue.waiters();
		// All of them end before any leaves the queue, so that no waiter moves up and
		// attempts.
		waiters.forEach((waiter) -> waiter.fail(this.parts.calls().stopped()));
		waiters.forEach(queue::forget);
	}

	private void awaitAnswers(List<DefaultLease> leases) {
		boolean interrupted = Thread.interrupted();
		// A lease that its holder is releasing now may not have called the store yet.
		CompletableFuture<?> released = CompletableFuture
			.allOf(leases.stream().map(DefaultLease::end).toArray(CompletableFuture[]::new));
		try {
			released.thenCompose((ended) -> this.parts.calls().drained())
				.get(this.settings.stopTimeout().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			logger.warn(
					"The backend {} has not answered all releases within {}; unanswered leases expire after their ttl",
					description(), this.settings.stopTimeout());
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Return whether the engine accepts requests and has its backend open.
	 * @return whether it is running
	 */
	public boolean isRunning() {
		return this.phase == Phase.RUNNING;
	}

	/**
	 * Return whether the engine refuses requests because it was stopped.
	 * @return whether it was stopped, and not started since
	 */
	boolean isStopped() {
		return this.phase == Phase.STOPPED;
	}

	/**
	 * Return whether all listeners have been notified of all events so far.
	 */
	boolean areListenersIdle() {
		return this.parts.listeners().areIdle();
	}

	/**
	 * Return whether there are no waiters and no leases.
	 */
	boolean isIdle() {
		return this.queues.all().isEmpty() && this.parts.watchdog().leases().isEmpty();
	}

	/**
	 * Let the customizers change a request. The other methods expect the customized
	 * request.
	 */
	LockRequest customize(LockRequest request) {
		LockRequest customized = request;
		for (LockRequestCustomizer customizer : this.customizers) {
			customized = customizer.customize(customized);
		}
		return customized;
	}

	/**
	 * Return the acquirer of leases for callers.
	 */
	LeaseAcquirer acquirer() {
		return this.acquirer;
	}

	/**
	 * Return the connection to the store; the first call connects.
	 */
	BackendConnection open() {
		if (this.phase == Phase.NEW) {
			synchronized (this) {
				if (this.phase == Phase.NEW) {
					start();
				}
			}
		}
		if (this.phase == Phase.STOPPED) {
			throw this.parts.calls().stopped();
		}
		return this.parts.calls().connection();
	}

	/**
	 * Return the executor of callers' code, such as listeners that may block.
	 * @return the executor, with daemon threads that end when they are idle
	 */
	public Executor callbacks() {
		return this.parts.threads();
	}

}
