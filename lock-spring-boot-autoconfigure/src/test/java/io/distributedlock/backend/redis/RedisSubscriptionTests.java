package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisSubscription}.
 */
class RedisSubscriptionTests {

	private static final byte[] CHANNEL = { 'c' };

	private final RedisSubscription subscription = new RedisSubscription(new Ignored(), CHANNEL, (connection) -> true,
			() -> CompletableFuture.completedFuture(true), Runnable::run, new VirtualLockClock());

	/**
	 * The thread that unsubscribes holds the monitor while it waits for the driver's
	 * thread.
	 */
	@Test
	void confirmationDoesNotWaitForTheThreadThatUnsubscribes() {
		synchronized (this.subscription) {
			assertThat(confirm()).succeedsWithin(Duration.ofSeconds(20));
		}

		assertThat(this.subscription.confirmed()).isCompletedWithValue(this.subscription);
	}

	@Test
	void confirmationOfAnUnwantedSubscriptionDoesNotConfirmIt() {
		this.subscription.close();

		assertThat(confirm()).succeedsWithin(Duration.ofSeconds(20));

		assertThat(this.subscription.confirmed().toCompletableFuture()).isNotDone();
	}

	/**
	 * After the locks were stopped, the driver's thread must not unsubscribe itself,
	 * because it would wait for the thread that unsubscribes and holds the monitor.
	 */
	@Test
	void closeAfterTheStopDoesNotWaitForTheThreadThatUnsubscribes() {
		RedisSubscription stopped = new RedisSubscription(new Ignored(), CHANNEL, (connection) -> true,
				() -> CompletableFuture.completedFuture(true), (task) -> {
					throw new RejectedExecutionException();
				}, new VirtualLockClock());
		stopped.onChannelSubscribed(CHANNEL, 1);

		synchronized (stopped) {
			assertThat(CompletableFuture.runAsync(stopped::close)).succeedsWithin(Duration.ofSeconds(20));
		}
	}

	private CompletableFuture<Void> confirm() {
		return CompletableFuture.runAsync(() -> this.subscription.onChannelSubscribed(CHANNEL, 1));
	}

	private static final class Ignored implements ReleaseListener {

		@Override
		public void released(String key) {
		}

		@Override
		public void resubscribed() {
		}

		@Override
		public void ended() {
		}

	}

}
