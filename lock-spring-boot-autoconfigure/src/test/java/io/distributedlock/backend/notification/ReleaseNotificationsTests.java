package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests when sources are subscribed to, and which waiters are woken.
 */
class ReleaseNotificationsTests {

	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final Duration TIMEOUT = Duration.ofSeconds(2);

	private static final SubscriptionChecks CHECKS = new SubscriptionChecks(Duration.ofSeconds(5),
			Duration.ofSeconds(1));

	private final VirtualLockClock clock = new VirtualLockClock();

	private final AtomicInteger wakeUps = new AtomicInteger();

	private final AtomicInteger othersWakeUps = new AtomicInteger();

	private final FakeSource source = new FakeSource();

	private final ReleaseNotifications notifications = new ReleaseNotifications(this.source, CHECKS, this.clock);

	private final ReleaseWaiter waiter = this.notifications.waiter("a", this.wakeUps::incrementAndGet);

	private final ReleaseWaiter other = this.notifications.waiter("b", this.othersWakeUps::incrementAndGet);

	@Test
	void nothingIsSubscribedToWithoutWaiters() {
		this.notifications.subscribe();

		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		assertThat(this.source.opened).isZero();
		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void waiterThatNeverSubscribesLeavesNothingBehind() {
		assertThat(this.waiter.join()).isFalse();
		this.waiter.leave();

		assertThat(this.source.opened).isZero();
		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void waitersAreWokenWhenTheSubscriptionIsConfirmed() {
		this.source.holdsBack = true;
		listen();
		assertThat(this.wakeUps).hasValue(0);
		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);

		this.source.confirm();

		assertThat(this.wakeUps).hasValue(1);
		assertThat(this.waiter.join()).isTrue();
	}

	@Test
	void onlyTheWaitersOfTheReleasedKeyAreWoken() {
		listen();
		this.other.join();

		this.source.listener.released("another");
		this.source.listener.released("b");

		assertThat(this.wakeUps).hasValue(1);
		assertThat(this.othersWakeUps).hasValue(1);
	}

	@Test
	void waiterThatFailsKeepsNoOtherFromBeingWoken() {
		listen();
		this.notifications.waiter("b", () -> {
			throw new IllegalStateException("planted");
		}).join();
		this.other.join();

		this.source.listener.released("b");

		assertThat(this.othersWakeUps).hasValue(1);
	}

	@Test
	void waiterThatHasLeftIsNotWoken() {
		listen();
		this.other.join();
		this.waiter.leave();

		this.source.listener.released("a");
		this.source.listener.resubscribed();

		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void subscriptionIsKeptForAMinuteAfterTheLastWaiter() {
		listen();
		this.other.join();
		this.waiter.leave();
		this.clock.advance(Duration.ofMinutes(3));
		this.other.leave();

		this.clock.advance(Duration.ofSeconds(59));
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
		this.clock.advance(Duration.ofSeconds(2));

		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		assertThat(this.source.closed).isEqualTo(1);
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void minuteBeginsAnewWithEachLastWaiter() {
		listen();
		this.waiter.leave();
		this.clock.advance(Duration.ofSeconds(40));
		this.waiter.join();
		this.waiter.leave();

		this.clock.advance(Duration.ofSeconds(59));
		assertThat(this.source.closed).isZero();
		this.clock.advance(Duration.ofSeconds(2));

		assertThat(this.source.closed).isEqualTo(1);
	}

	@Test
	void waiterWithinTheMinuteKeepsTheSubscription() {
		listen();
		this.waiter.leave();
		this.clock.advance(Duration.ofSeconds(30));

		assertThat(this.other.join()).isTrue();
		this.clock.advance(Duration.ofMinutes(3));

		assertThat(this.source.opened).isEqualTo(1);
		assertThat(this.source.closed).isZero();
	}

	@Test
	void waiterAfterTheMinuteSubscribesAnew() {
		listen();
		this.waiter.leave();
		this.clock.advance(Duration.ofSeconds(61));

		listen();

		assertThat(this.source.opened).isEqualTo(2);
		assertThat(this.wakeUps).hasValue(2);
	}

	@Test
	void subscriptionConfirmedAfterTheLastWaiterEndsToo() {
		this.source.holdsBack = true;
		listen();
		this.waiter.leave();
		this.source.confirm();

		this.clock.advance(Duration.ofSeconds(61));

		assertThat(this.source.closed).isEqualTo(1);
	}

	@Test
	void subscriptionConfirmedTooLateIsEndedAtOnce() {
		this.source.holdsBack = true;
		listen();
		this.notifications.close();

		this.source.confirm();

		assertThat(this.source.closed).isEqualTo(1);
		assertThat(this.notifications.state()).isEqualTo(NotificationState.UNSUPPORTED);
		assertThat(this.wakeUps).hasValue(0);
	}

	@Test
	void subscriptionThatEndsIsMadeAgainAndAllAttemptOnce() {
		listen();

		this.source.listener.ended();
		this.source.listener.ended();
		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		this.clock.advance(PAUSE);

		assertThat(this.source.opened).isEqualTo(2);
		assertThat(this.source.closed).isZero();
		assertThat(this.wakeUps).hasValue(2);
	}

	@Test
	void endOfAnEarlierSubscriptionChangesNothing() {
		listen();
		ReleaseListener earlier = this.source.listener;
		earlier.ended();
		this.clock.advance(PAUSE);

		earlier.ended();
		earlier.resubscribed();

		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
		assertThat(this.wakeUps).hasValue(2);
	}

	@Test
	void subscriptionWithoutWaitersIsNotMadeAgain() {
		listen();
		this.waiter.leave();

		this.source.listener.ended();
		this.clock.advance(Duration.ofMinutes(2));

		assertThat(this.source.opened).isEqualTo(1);
	}

	@Test
	void waitersAreWokenWhenTheDriverHasSubscribedAgain() {
		listen();

		this.source.listener.resubscribed();

		assertThat(this.wakeUps).hasValue(2);
		assertThat(this.source.opened).isEqualTo(1);
	}

	@Test
	void triesToSubscribeComeLessOftenWhileTheyFail() {
		this.source.fault = new IllegalStateException("planted");
		listen();

		// 50 to 100 ms, 100 to 200, 200 to 400, 400 to 800, and then 500 to 1,000.
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(this.source.opened).isBetween(11, 25);
		this.notifications.subscribe();
		assertThat(this.source.opened).isBetween(11, 25);

		this.source.fault = null;
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
	}

	@Test
	void sourceThatCannotSubscribeIsTriedOnce() {
		this.source.fault = new UnsupportedOperationException("planted");
		listen();
		this.notifications.subscribe();

		assertThat(this.notifications.state()).isEqualTo(NotificationState.UNSUPPORTED);
		assertThat(this.source.opened).isEqualTo(1);
		assertThat(this.clock.pending()).isZero();
		assertThat(get(ask())).isFalse();
	}

	@Test
	void silentSubscriptionIsReplaced() {
		listen();
		this.source.sign = new CompletableFuture<>();

		this.clock.advance(CHECKS.interval());
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
		this.clock.advance(CHECKS.timeout());
		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		this.clock.advance(PAUSE);

		assertThat(this.source.closed).isEqualTo(1);
		assertThat(this.source.opened).isEqualTo(2);
		assertThat(this.wakeUps).hasValue(2);
	}

	@Test
	void silentSubscriptionThatGoesOnByItselfIsLeftToTheDriver() {
		listen();
		this.source.goesOn = true;
		this.source.sign = new CompletableFuture<>();

		this.clock.advance(CHECKS.interval().plus(CHECKS.timeout()));
		assertThat(this.source.resets).isEqualTo(1);
		this.clock.advance(CHECKS.interval().plus(CHECKS.timeout()));

		assertThat(this.source.resets).isEqualTo(2);
		assertThat(this.source.opened).isEqualTo(1);
		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
	}

	@Test
	void subscriptionThatCannotBeCheckedIsReplaced() {
		listen();
		this.source.checkFault = new IllegalStateException("planted");

		this.clock.advance(CHECKS.interval());
		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		this.clock.advance(PAUSE);

		assertThat(this.source.closed).isEqualTo(1);
		assertThat(this.source.opened).isEqualTo(2);
		assertThat(this.wakeUps).hasValue(2);
	}

	@Test
	void subscriptionIsNotCheckedWithoutWaiters() {
		listen();
		this.waiter.leave();
		this.source.sign = new CompletableFuture<>();

		this.clock.advance(Duration.ofSeconds(59));

		assertThat(this.notifications.state()).isEqualTo(NotificationState.RELIABLE);
	}

	@Test
	void waitersThatRelyOnASubscriptionAreWokenWhenItIsNotTrusted() {
		listen();
		this.source.holdsBack = true;

		this.notifications.resubscribe();

		assertThat(this.notifications.state()).isEqualTo(NotificationState.PENDING);
		assertThat(this.source.closed).isEqualTo(1);
		assertThat(this.wakeUps).hasValue(2);
		this.notifications.resubscribe();
		this.source.confirm();
		assertThat(this.source.opened).isEqualTo(2);
		assertThat(this.wakeUps).hasValue(3);
	}

	@Test
	void questionIsAnsweredOnceNotificationsAreReliable() {
		this.source.holdsBack = true;
		CompletionStage<Boolean> answer = ask();
		assertThat(answer.toCompletableFuture()).isNotDone();

		this.source.confirm();

		assertThat(get(answer)).isTrue();
		this.clock.advance(Duration.ofSeconds(61));
		assertThat(this.source.closed).isEqualTo(1);
	}

	@Test
	void questionFailsWithTheRefusalOfTheSource() {
		this.source.fault = new LockRefusedException("planted", null);

		assertThat(ask().toCompletableFuture()).isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockUnavailableException.class)
			.withMessage("[0]");
	}

	@Test
	void questionFailsAfterItsTimeout() {
		this.source.holdsBack = true;
		CompletionStage<Boolean> answer = ask();

		this.clock.advance(TIMEOUT);

		assertThat(answer.toCompletableFuture()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.withMessage("[]");
	}

	@Test
	void closeEndsAllSubscriptionsForGood() {
		listen();

		this.notifications.close();
		this.notifications.subscribe();
		this.source.listener.ended();
		this.clock.advance(Duration.ofMinutes(2));

		assertThat(this.source.opened).isEqualTo(1);
		assertThat(this.source.closed).isEqualTo(1);
		assertThat(this.notifications.state()).isEqualTo(NotificationState.UNSUPPORTED);
	}

	@Test
	void majorityOfOneNodeAndAllOthersIsNeededWithFiveSources() {
		List<FakeSource> nodes = IntStream.range(0, 5).mapToObj((i) -> new FakeSource()).toList();
		nodes.forEach((node) -> node.holdsBack = true);
		ReleaseNotifications several = several(nodes, 3);

		nodes.get(0).confirm();
		nodes.get(1).confirm();
		assertThat(several.state()).isEqualTo(NotificationState.PENDING);
		nodes.get(2).confirm();
		assertThat(several.state()).isEqualTo(NotificationState.RELIABLE);
		assertThat(this.wakeUps).hasValue(1);
		nodes.get(3).confirm();
		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void oneOfThreeSourcesMayBeMissing() {
		List<FakeSource> nodes = IntStream.range(0, 3).mapToObj((i) -> new FakeSource()).toList();
		ReleaseNotifications several = several(nodes, 2);

		nodes.get(0).listener.ended();
		assertThat(several.state()).isEqualTo(NotificationState.RELIABLE);
		assertThat(this.wakeUps).hasValue(1);
		this.clock.advance(PAUSE);

		assertThat(this.wakeUps).as("with what it may have missed").hasValue(2);
	}

	@Test
	void waiterIsWokenByAMajorityOrSoonAfterTheFirst() {
		List<FakeSource> nodes = IntStream.range(0, 3).mapToObj((i) -> new FakeSource()).toList();
		several(nodes, 2);

		nodes.get(0).listener.released("a");
		assertThat(this.wakeUps).hasValue(1);
		nodes.get(0).listener.released("a");
		assertThat(this.wakeUps).hasValue(1);
		nodes.get(1).listener.released("a");
		assertThat(this.wakeUps).hasValue(2);

		nodes.get(2).listener.released("a");
		assertThat(this.wakeUps).hasValue(2);
		this.clock.advance(Duration.ofMillis(5));
		assertThat(this.wakeUps).hasValue(3);
	}

	@Test
	void questionFailsOnceAMajorityOfSourcesRefuses() {
		List<FakeSource> nodes = IntStream.range(0, 3).mapToObj((i) -> new FakeSource()).toList();
		nodes.forEach((node) -> node.holdsBack = true);
		CompletableFuture<Boolean> answer = several(nodes, 2).awaitReliable(TIMEOUT, ReleaseNotificationsTests::explain)
			.toCompletableFuture();

		nodes.get(1).subscribing.completeExceptionally(new LockRefusedException("planted", null));
		assertThat(answer).isNotDone();
		nodes.get(2).subscribing.completeExceptionally(new LockRefusedException("planted", null));

		assertThat(answer).failsWithin(Duration.ZERO).withThrowableThat().havingCause().withMessage("[1, 2]");
	}

	private ReleaseNotifications several(List<FakeSource> nodes, int quorum) {
		ReleaseNotifications several = new ReleaseNotifications(nodes, quorum, CHECKS, this.clock, Random::new);
		several.waiter("a", this.wakeUps::incrementAndGet).join();
		several.subscribe();
		return several;
	}

	private void listen() {
		this.waiter.join();
		this.notifications.subscribe();
	}

	private CompletionStage<Boolean> ask() {
		return this.notifications.awaitReliable(TIMEOUT, ReleaseNotificationsTests::explain);
	}

	private static LockUnavailableException explain(Map<Integer, LockRefusedException> refusals) {
		return new LockUnavailableException(refusals.keySet().toString());
	}

	private static boolean get(CompletionStage<Boolean> answer) {
		return answer.toCompletableFuture().getNow(null);
	}

	/**
	 * A source that a test controls.
	 */
	private static final class FakeSource implements NotificationSource {

		private CompletableFuture<ReleaseSubscription> subscribing;

		private CompletableFuture<Void> sign = CompletableFuture.completedFuture(null);

		private ReleaseListener listener;

		private boolean holdsBack;

		private boolean goesOn;

		private RuntimeException fault;

		private RuntimeException checkFault;

		private int opened;

		private int closed;

		private int resets;

		@Override
		public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
			this.opened++;
			this.listener = listener;
			this.subscribing = new CompletableFuture<>();
			if (this.fault != null) {
				throw this.fault;
			}
			if (!this.holdsBack) {
				confirm();
			}
			return this.subscribing;
		}

		void confirm() {
			this.subscribing.complete(new ReleaseSubscription() {

				@Override
				public CompletionStage<Void> check() {
					if (FakeSource.this.checkFault != null) {
						throw FakeSource.this.checkFault;
					}
					return FakeSource.this.sign;
				}

				@Override
				public boolean reset() {
					FakeSource.this.resets++;
					return FakeSource.this.goesOn || ReleaseSubscription.super.reset();
				}

				@Override
				public void close() {
					FakeSource.this.closed++;
				}

			});
		}

	}

}
