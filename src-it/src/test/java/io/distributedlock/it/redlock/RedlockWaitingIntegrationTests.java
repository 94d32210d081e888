package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.KillArgs;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waiters are notified of releases, whichever nodes publish them. Each test has three
 * nodes of its own, and leases that are longer than any test.
 */
class RedlockWaitingIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(60);

	private final RedlockServers servers = RedlockServers.start(3);

	private final RedlockTestClient holder = client();

	private final RedlockTestClient other = client();

	private final String key = RedlockTestClient.newKey();

	private final AtomicInteger wakeUps = new AtomicInteger();

	private RedlockTestClient client() {
		return new RedlockTestClient(this.servers.endpoints(),
				RedlockTestClient.settings(this.servers.endpoints(), TTL, false, RedlockTestClient.PREFIX))
			.awaitVotes(3);
	}

	@AfterEach
	void end() {
		this.other.close();
		this.holder.close();
		this.servers.kill();
	}

	@Test
	void waiterIsWokenByTheRelease() {
		LeaseGrant held = this.holder.acquire(this.key);
		Contender waiter = waiter();
		int before = waitOnce(waiter);

		this.holder.release(held);

		awaitWakeUp(before);
		assertThat(attempt(waiter)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void waiterIsWokenWhereOneNodeIsGone() {
		LeaseGrant held = this.holder.acquire(this.key);
		Contender waiter = waiter();
		this.servers.get(1).kill();
		int before = waitOnce(waiter);

		this.holder.release(held);

		awaitWakeUp(before);
		assertThat(attempt(waiter)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void waiterWhoseSubscriptionsBrokeIsWokenWhenTheyStandAgain() {
		LeaseGrant held = this.holder.acquire(this.key);
		Contender waiter = waiter();
		int before = waitOnce(waiter);

		this.servers.askAll((commands) -> commands.clientKill(KillArgs.Builder.typePubsub()));

		awaitWakeUp(before);
		int again = waitOnce(waiter);
		this.holder.release(held);
		awaitWakeUp(again);
		assertThat(attempt(waiter)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void waitersOfAClientShareOneSubscriptionAtEachNode() {
		LeaseGrant held = this.holder.acquire(this.key);
		waitOnce(waiter());
		String otherKey = RedlockTestClient.newKey();
		this.holder.acquire(otherKey);
		Contender second = this.other.connection().contend(LockTarget.exclusive(otherKey), () -> {
		});
		attempt(second);

		// The first answer to a waiter may precede the subscriptions at some nodes.
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.servers.askAll((commands) -> commands.pubsubNumsub("lock:released")))
				.containsOnly(Map.of("lock:released", 1L)));
		this.holder.release(held);
	}

	@Test
	void releaseForWhichNoClientWaitsIsNotPublished() {
		for (int i = 0; i < 10; i++) {
			LeaseGrant held = this.holder.acquire(this.key);
			assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
			this.holder.release(held);
		}

		assertThat(this.servers.askAll((commands) -> commands.info("commandstats")))
			.allSatisfy((counts) -> assertThat(counts).contains("cmdstat_evalsha").doesNotContain("cmdstat_publish"));
	}

	private Contender waiter() {
		return this.other.connection().contend(LockTarget.exclusive(this.key), this.wakeUps::incrementAndGet);
	}

	private AttemptOutcome attempt(Contender waiter) {
		return RedlockTestClient.await(waiter.attempt(this.other.request(TTL, true)));
	}

	/**
	 * Attempt, and again after the first notification. All subscriptions exist once the
	 * waiter is no longer woken.
	 * @return how often the waiter was woken so far
	 */
	private int waitOnce(Contender waiter) {
		assertThat(attempt(waiter)).isInstanceOf(AttemptOutcome.Busy.class);
		Awaitility.await().until(() -> this.wakeUps.get() > 0);
		assertThat(attempt(waiter)).isInstanceOfSatisfying(AttemptOutcome.Busy.class,
				(busy) -> assertThat(busy.pollAfter()).as("how long it can do without polling")
					.isGreaterThan(Duration.ofSeconds(4)));
		return this.wakeUps.get();
	}

	private void awaitWakeUp(int before) {
		Awaitility.await().until(() -> this.wakeUps.get() > before);
	}

}
