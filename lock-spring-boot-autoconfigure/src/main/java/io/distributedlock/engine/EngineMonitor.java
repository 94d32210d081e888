package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.LockInfo;
import io.distributedlock.spi.AcquisitionEvidence;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.CircuitState;
import io.distributedlock.spi.HeldLease;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.WaitingRequest;

/**
 * Shows an engine and its store.
 */
final class EngineMonitor implements StoreMonitor {

	private final LockEngine engine;

	private final EngineParts parts;

	private final KeyQueues queues;

	private final StoreProbeCall probe;

	EngineMonitor(LockEngine engine, EngineParts parts, KeyQueues queues) {
		this.engine = engine;
		this.parts = parts;
		this.queues = queues;
		this.probe = new StoreProbeCall(engine);
	}

	@Override
	public String name() {
		return this.engine.name();
	}

	@Override
	public @Nullable String address() {
		return this.parts.backend().address();
	}

	@Override
	public boolean isRunning() {
		return !this.engine.isStopped();
	}

	@Override
	public Duration callTimeout() {
		return this.engine.settings().callTimeout(this.engine.settings().ttl());
	}

	@Override
	public List<HeldLease> held() {
		long now = this.parts.now();
		return this.engine.held().stream().map((lease) -> lease.describe(now)).toList();
	}

	@Override
	public List<WaitingRequest> waiting() {
		long now = this.parts.now();
		return this.queues.all()
			.stream()
			.flatMap((queue) -> queue.waiters().stream())
			.filter(Waiter::isWaiting)
			.map((waiter) -> waiter.describe(now))
			.toList();
	}

	@Override
	public Optional<AcquisitionEvidence> evidence() {
		return this.parts.gates().history().evidence();
	}

	@Override
	public CircuitState circuit() {
		return this.parts.gates().circuit().state();
	}

	@Override
	public List<NodeStatus> nodes() {
		return known(BackendConnection::nodes, List.of());
	}

	@Override
	public int quorum() {
		int nodes = nodes().size();
		return (nodes > 0) ? nodes / 2 + 1 : 0;
	}

	@Override
	public @Nullable SessionStatus session() {
		return known((connection) -> Optional.ofNullable(connection.session()), Optional.<SessionStatus>empty())
			.orElse(null);
	}

	/**
	 * Return what the connection knows, if it is open.
	 */
	private <T> T known(Function<BackendConnection, T> question, T otherwise) {
		if (!this.engine.isRunning()) {
			return otherwise;
		}
		try {
			return question.apply(this.parts.calls().connection());
		}
		catch (LockException ex) {
			return otherwise;
		}
	}

	@Override
	public CompletionStage<Duration> probe() {
		return stage(() -> this.probe.run().thenApply((latency) -> {
			// Nothing else may ask the store meanwhile.
			this.parts.gates().circuit().answered();
			return latency;
		}));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return stage(() -> this.engine.ask((store) -> store.find(key)));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return stage(() -> this.engine.ask((store) -> store.list(next, limit)));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key) {
		return stage(() -> this.engine.forceRelease(key));
	}

	private static <T> CompletionStage<T> stage(Supplier<CompletionStage<T>> call) {
		try {
			return call.get();
		}
		catch (LockException ex) {
			// For example if the engine was stopped.
			return CompletableFuture.failedFuture(ex);
		}
	}

}
