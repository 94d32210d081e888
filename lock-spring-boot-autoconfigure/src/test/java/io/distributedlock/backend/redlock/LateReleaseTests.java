package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes that learn of a release when their connection is there again.
 */
class LateReleaseTests {

	private static final List<String> NAMES = List.of("one:1", "two:2", "three:3");

	private static final LockTarget TARGET = LockTarget.exclusive("key");

	private static final Duration TTL = Duration.ofSeconds(30);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final RedlockSettings settings = new RedlockSettings(NAMES, Duration.ofMillis(50), Duration.ofSeconds(60),
			true, Duration.ofHours(1), Duration.ofSeconds(2), "test", "");

	private final List<DirectNode> nodes = NAMES.stream()
		.map((name) -> new DirectNode(name, this.clock).voting(this.settings))
		.toList();

	private final List<TroubledWay> ways = this.nodes.stream().map((node) -> new TroubledWay(node.way())).toList();

	private final RedlockLockBackend holder = started(this.ways);

	private final RedlockLockBackend other = started(this.nodes.stream().map(DirectNode::way).toList());

	private RedlockLockBackend started(List<? extends RedlockNode> to) {
		RedlockLockBackend backend = new RedlockLockBackend(() -> to, this.settings, this.clock, Randoms.ofThreads(),
				RedlockListener.NONE);
		backend.start((ownerId) -> {
		});
		return backend;
	}

	@Test
	void nodesThatLearnOfTheReleaseLaterKeepTheRestOfTheCooldown() {
		LeaseGrant grant = ((AttemptOutcome.Granted) attempt(this.holder)).grant();
		this.ways.get(1).lose("release");
		this.ways.get(2).lose("release");
		this.holder.release(grant, Duration.ofSeconds(20));

		this.ways.get(1).cut();
		this.ways.get(2).cut();
		this.clock.advance(Duration.ofSeconds(5));

		assertThat(attempt(this.other)).isInstanceOf(AttemptOutcome.Busy.class);
		this.clock.advance(Duration.ofSeconds(15).plusMillis(1));
		assertThat(attempt(this.other)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void nodesThatLearnOfTheReleaseLaterLetTheLockGo() {
		LeaseGrant grant = ((AttemptOutcome.Granted) attempt(this.holder)).grant();
		this.ways.get(1).lose("release");
		this.ways.get(2).lose("release");
		this.holder.release(grant, Duration.ZERO);

		this.ways.get(1).cut();
		this.ways.get(2).cut();
		this.clock.advance(Duration.ofSeconds(5));

		assertThat(attempt(this.other)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	private AttemptOutcome attempt(RedlockLockBackend backend) {
		LeaseRequest request = new LeaseRequest(OwnerId.random(), TTL, 1, null, false, Duration.ofSeconds(2),
				Duration.ZERO);
		return backend.contend(TARGET, () -> {
		}).attempt(request).toCompletableFuture().join();
	}

}
