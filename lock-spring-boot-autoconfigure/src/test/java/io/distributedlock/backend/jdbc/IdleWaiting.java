package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

import org.awaitility.Awaitility;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.LeaseRetention;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An engine whose waiters wait on a clock that the test moves, so that their statements
 * can be counted.
 */
public final class IdleWaiting implements AutoCloseable {

	private static final Duration STEP = Duration.ofMillis(100);

	private final VirtualLockClock clock = new VirtualLockClock();

	// Stands still, so that no call times out because of the clock that runs ahead.
	private final VirtualLockClock clockOfTheStore = new VirtualLockClock();

	private final ObservedDataSource observed;

	private final LockEngine engine;

	private final List<CompletionStage<Lease>> waiters = new ArrayList<>();

	private final DefaultLockTemplate template;

	public IdleWaiting(JdbcTestDatabase database, JdbcLockSettings settings) {
		this.observed = new ObservedDataSource(database.dataSource());
		this.engine = new LockEngine(new JdbcLockBackend(this.observed, settings, this.clockOfTheStore),
				EngineSettings.DEFAULTS, this.clock, List.of(), List.of());
		this.template = new DefaultLockTemplate(this.engine, new DefaultScopes(this.engine, LeaseRetention.NONE));
		this.engine.start();
	}

	/**
	 * Let a waiter wait for each of these keys, which are taken.
	 * @param number the number of keys
	 * @param key returns the key with a number
	 */
	public void begin(int number, IntFunction<String> key) {
		for (int i = 0; i < number; i++) {
			this.waiters.add(this.template.acquireAsync(LockRequest.of(key.apply(i)).waitTime(Duration.ofHours(1))));
		}
	}

	/**
	 * Let time pass in small steps, between which all waiters sleep, and count the
	 * statements.
	 * @param duration how much time passes
	 * @param keys the number of keys with a waiter
	 * @return the number of statements in each second of that clock
	 */
	public double statementsPerSecond(Duration duration, int keys) {
		settle(keys);
		this.observed.forget();
		for (long step = 0; step < duration.dividedBy(STEP); step++) {
			this.clock.advance(STEP);
			settle(keys);
		}
		assertThat(this.waiters).noneMatch((waiter) -> waiter.toCompletableFuture().isDone());
		return this.observed.statements().size() / (duration.toMillis() / 1000.0);
	}

	private void settle(int keys) {
		// The end of each waiter's wait time, and the next attempt for each key.
		int timers = this.waiters.size() + keys;
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.untilAsserted(() -> assertThat(this.clock.pending()).isEqualTo(timers));
	}

	@Override
	public void close() {
		this.engine.stop();
	}

}
