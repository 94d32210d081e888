package io.distributedlock.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AcquisitionEvidence;
import io.distributedlock.spi.CircuitState;
import io.distributedlock.spi.HeldLease;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.StoreMonitor;
import io.distributedlock.spi.WaitingRequest;

/**
 * The view of a store in a state that a test chooses.
 */
final class StubStoreMonitor implements StoreMonitor {

	final AtomicInteger probes = new AtomicInteger();

	Supplier<CompletionStage<Duration>> probe = () -> CompletableFuture.completedFuture(Duration.ofMillis(3));

	boolean running = true;

	@Nullable AcquisitionEvidence evidence;

	CircuitState circuit = CircuitState.CLOSED;

	List<NodeStatus> nodes = List.of();

	@Nullable SessionStatus session;

	@Override
	public String name() {
		return "redis";
	}

	@Override
	public String address() {
		return "localhost:6379";
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public Duration callTimeout() {
		return Duration.ofSeconds(2);
	}

	@Override
	public List<HeldLease> held() {
		return List.of();
	}

	@Override
	public List<WaitingRequest> waiting() {
		return List.of();
	}

	@Override
	public Optional<AcquisitionEvidence> evidence() {
		return Optional.ofNullable(this.evidence);
	}

	@Override
	public CircuitState circuit() {
		return this.circuit;
	}

	@Override
	public List<NodeStatus> nodes() {
		return this.nodes;
	}

	@Override
	public int quorum() {
		return this.nodes.isEmpty() ? 0 : this.nodes.size() / 2 + 1;
	}

	@Override
	public @Nullable SessionStatus session() {
		return this.session;
	}

	@Override
	public CompletionStage<Duration> probe() {
		this.probes.incrementAndGet();
		return this.probe.get();
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key) {
		throw new UnsupportedOperationException();
	}

}
