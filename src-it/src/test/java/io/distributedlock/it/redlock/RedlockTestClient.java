package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockLockBackend;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One JVM's client of some nodes, with shorthands. Remembers what it was told of them.
 */
final class RedlockTestClient implements AutoCloseable, RedlockListener {

	static final Duration TTL = Duration.ofSeconds(2);

	private final SystemLockClock clock = new SystemLockClock();

	private final RedlockLockBackend backend;

	private final Set<String> voting = ConcurrentHashMap.newKeySet();

	private final Map<String, Duration> quarantines = new ConcurrentHashMap<>();

	private final Set<String> estimated = ConcurrentHashMap.newKeySet();

	RedlockTestClient(List<RedlockEndpoint> endpoints, boolean quarantineOnEmpty) {
		RedlockSettings settings = new RedlockSettings(endpoints.stream().map(RedlockEndpoint::name).toList(),
				Duration.ofSeconds(1), TTL, quarantineOnEmpty, Duration.ofHours(1), Duration.ofSeconds(2),
				"test@host:1", "lock:");
		this.backend = RedlockLockBackend.overLettuce(endpoints, null, settings, this.clock, this);
		this.backend.start((owner) -> {
		});
	}

	RedlockLockBackend backend() {
		return this.backend;
	}

	@Override
	public void voting(String node) {
		this.voting.add(node);
	}

	@Override
	public void quarantined(String node, Duration length) {
		this.voting.remove(node);
		this.quarantines.put(node, length);
	}

	@Override
	public void down(String node, String reason) {
		this.voting.remove(node);
	}

	@Override
	public void floorEstimated(String node) {
		this.estimated.add(node);
	}

	Set<String> voting() {
		return this.voting;
	}

	Map<String, Duration> quarantines() {
		return this.quarantines;
	}

	Set<String> estimated() {
		return this.estimated;
	}

	long now() {
		return this.clock.nanoTime();
	}

	AttemptOutcome attempt(String key) {
		Contender contender = this.backend.contend(LockTarget.exclusive(key), () -> {
		});
		AttemptOutcome outcome = await(contender
			.attempt(new LeaseRequest(OwnerId.random(), TTL, 1, null, false, Duration.ofSeconds(2), Duration.ZERO)));
		contender.withdraw();
		return outcome;
	}

	LeaseGrant acquire(String key) {
		AttemptOutcome outcome = attempt(key);
		assertThat(outcome).as("an attempt on '%s', which nobody holds", key)
			.isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	boolean release(LeaseGrant grant) {
		return await(this.backend.release(grant, Duration.ZERO));
	}

	static <T> T await(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	@Override
	public void close() {
		this.backend.stop();
		this.clock.close();
	}

}
