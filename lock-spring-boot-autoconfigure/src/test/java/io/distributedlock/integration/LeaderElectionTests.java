package io.distributedlock.integration;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LeaderElection}, with a clock that only the test advances.
 */
class LeaderElectionTests {

	private static final String KEY = LeaderElection.KEY_PREFIX + ElectionNode.ROLE;

	private static final Duration HEART_BEAT = ElectionNode.HEART_BEAT;

	private static final Duration VALIDITY = HEART_BEAT.multipliedBy(3).dividedBy(4);

	private static final Duration STEP = Duration.ofMillis(50);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final ElectionNode first = new ElectionNode(this.store, "first", this.clock);

	private final ElectionNode second = new ElectionNode(this.store, "second", this.clock);

	@AfterEach
	void close() {
		this.first.onGranted = (leadership) -> {
		};
		this.first.onRevoked = () -> {
		};
		this.first.close();
		this.second.close();
	}

	@Test
	void candidateLeadsAndIsNotified() {
		lead(this.first);

		assertThat(this.first.news).containsExactly("granted role");
		assertThat(this.first.lastTold()).isSameAs(this.first.leadership());
		assertThat(this.first.leadership().getRole()).isEqualTo("role");
		assertThat(this.first.leadership().fencingToken()).isPositive();
		assertThat(this.first.locks.find(KEY)).isPresent();
	}

	@Test
	void candidateDoesNotLeadBeforeOneHeartBeatIsOver() {
		this.first.election.start();
		await(() -> this.first.locks.find(KEY).isPresent());

		this.clock.advance(HEART_BEAT.minusMillis(1));

		assertThat(this.first.leads()).isFalse();
		move(this.first::leads);
	}

	@Test
	void secondCandidateWaits() {
		lead(this.first);
		this.second.election.start();

		pass(HEART_BEAT.multipliedBy(4));

		assertThat(this.first.leads()).isTrue();
		assertThat(this.second.news).isEmpty();
	}

	@Test
	void leaderWhoseLockIsTakenAwayIsRevokedWithinOneHeartBeat() {
		lead(this.first);

		this.second.locks.forceRelease(KEY);

		this.clock.advance(HEART_BEAT);
		await(() -> this.first.news.size() == 2);
		assertThat(this.first.news).containsExactly("granted role", "revoked role");
		assertThat(this.first.lastTold().isLeader()).isFalse();
	}

	@Test
	void leaderWhoseLockIsTakenAwayNeverLeadsBesideTheNextOne() {
		lead(this.first);
		long token = this.first.leadership().fencingToken();
		this.second.election.start();
		pass(STEP);

		this.second.locks.forceRelease(KEY);

		move(() -> this.second.locks.find(KEY).isPresent());
		move(() -> this.second.leads() || this.first.leads() && this.first.leadership().fencingToken() != token);
		assertThat(this.first.leads() && this.second.leads()).isFalse();
	}

	/**
	 * This holds even if the leader is not notified, because its clock is enough.
	 */
	@Test
	void leaderThatIsCutOffNeverLeadsBesideTheNextOne() {
		lead(this.first);
		Leadership leadership = this.first.leadership();
		this.second.election.start();
		pass(STEP);
		this.first.client.setCutOff(true);

		this.second.locks.forceRelease(KEY);

		move(() -> this.second.locks.find(KEY).isPresent());
		pass(VALIDITY);
		assertThat(leadership.isLeader()).isFalse();
		move(this.second::leads);
	}

	@Test
	void leaderIsRevokedWhileTheStoreDoesNotAnswerAndThenGoesOnWithItsLease() {
		lead(this.first);
		Leadership before = this.first.leadership();
		this.first.client.setCutOff(true);

		this.clock.advance(VALIDITY);
		assertThat(before.isLeader()).isFalse();
		await(() -> this.first.news.contains("revoked role"));
		this.first.client.setCutOff(false);
		move(this.first::leads);

		await(() -> this.first.news.size() == 3);
		assertThat(this.first.news).containsExactly("granted role", "revoked role", "granted role");
		assertThat(this.first.leadership().fencingToken()).isEqualTo(before.fencingToken());
		assertThat(before.isLeader()).isFalse();
	}

	@Test
	void leaderThatTheStoreHasForgottenIsFollowed() {
		lead(this.first);
		long token = this.first.leadership().fencingToken();
		this.second.election.start();
		pass(STEP);
		this.first.client.setCutOff(true);

		move(this.second::leads);

		assertThat(this.second.leadership().fencingToken()).isGreaterThan(token);
		await(() -> this.first.news.size() == 2);
		assertThat(this.first.news).containsExactly("granted role", "revoked role");
	}

	@Test
	void machineThatWasSuspendedLeadsNoLonger() {
		lead(this.first);

		this.clock.suspend(VALIDITY);

		assertThat(this.first.leads()).isFalse();
	}

	@Test
	void leaderThatStopsIsFollowed() {
		lead(this.first);
		this.second.election.start();
		pass(STEP);

		this.first.election.stop();

		assertThat(this.first.news).containsExactly("granted role", "revoked role");
		assertThat(this.first.election.isRunning()).isFalse();
		move(this.second::leads);
		assertThat(this.first.leads()).isFalse();
	}

	@Test
	void leaderThatYieldsStandsBackForTheNextOne() {
		lead(this.first);
		this.second.election.start();
		pass(STEP);

		this.first.leadership().yield();

		move(this.second::leads);
		assertThat(this.first.news).containsExactly("granted role", "revoked role");
		this.second.leadership().yield();
		move(this.first::leads);
	}

	@Test
	void leadershipThatIsOverCanNotBeYielded() {
		lead(this.first);
		Leadership before = this.first.leadership();
		this.first.election.stop();
		lead(this.first);

		before.yield();

		pass(HEART_BEAT);
		assertThat(this.first.leads()).isTrue();
	}

	@Test
	void electionThatIsStartedAgainLeadsAgain() {
		lead(this.first);
		this.first.election.stop();
		assertThat(this.first.locks.find(KEY)).isEmpty();

		lead(this.first);

		await(() -> this.first.news.size() == 3);
		assertThat(this.first.news).containsExactly("granted role", "revoked role", "granted role");
	}

	@Test
	void candidateThatStopsWhileItWaitsLeavesNothingBehind() {
		lead(this.first);
		this.second.election.start();
		pass(STEP);

		this.second.election.stop();
		this.first.election.stop();

		pass(HEART_BEAT);
		assertThat(this.first.locks.find(KEY)).isEmpty();
		assertThat(this.second.news).isEmpty();
	}

	@Test
	void lockIsGivenBackWhenAllListenersHaveBeenNotified() {
		CountDownLatch tidiedUp = new CountDownLatch(1);
		this.first.onRevoked = () -> awaitUninterruptibly(tidiedUp);
		lead(this.first);
		AtomicBoolean stopped = new AtomicBoolean();

		this.first.election.stop(() -> stopped.set(true));

		await(() -> this.first.news.contains("revoked role"));
		assertThat(this.first.locks.find(KEY)).isPresent();
		assertThat(stopped).isFalse();
		tidiedUp.countDown();
		await(stopped::get);
		assertThat(this.first.locks.find(KEY)).isEmpty();
	}

	@Test
	void workingListenerIsInterruptedAndNotifiedOfTheEndAfterwards() {
		CountDownLatch never = new CountDownLatch(1);
		AtomicBoolean returned = new AtomicBoolean();
		this.first.onGranted = (leadership) -> {
			try {
				never.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				returned.set(!this.first.news.contains("revoked role"));
			}
		};
		AtomicBoolean flagged = new AtomicBoolean(true);
		this.first.onRevoked = () -> flagged.set(Thread.currentThread().isInterrupted());
		this.first.election.start();
		move(() -> this.first.news.contains("granted role"));

		this.second.locks.forceRelease(KEY);
		this.clock.advance(HEART_BEAT);

		await(() -> this.first.news.contains("revoked role"));
		assertThat(returned).isTrue();
		await(() -> !flagged.get());
	}

	@Test
	void listenerThatFailsEndsNothing() {
		this.first.onGranted = (leadership) -> {
			throw new IllegalStateException("on purpose");
		};
		this.first.onRevoked = () -> {
			throw new IllegalStateException("on purpose");
		};
		lead(this.first);

		pass(HEART_BEAT);

		assertThat(this.first.leads()).isTrue();
		this.first.election.stop();
		assertThat(this.first.locks.find(KEY)).isEmpty();
	}

	@Test
	void storeThatCanNotBeAskedAtTheStartIsAskedAgain() {
		this.first.client.setCutOff(true);
		this.first.election.start();
		pass(HEART_BEAT.multipliedBy(2));

		this.first.client.setCutOff(false);

		move(this.first::leads);
	}

	@Test
	void rolesAreThoseThatWereGiven() {
		assertThat(this.first.election.roles()).isEqualTo(Set.of("role"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.first.election.isLeader("other"))
			.withMessageContaining("[role]");
	}

	private void lead(ElectionNode node) {
		int before = node.news.size();
		node.election.start();
		move(() -> node.leads() && node.news.size() > before);
	}

	/**
	 * Let time pass until a condition is met, and check that there are never two leaders.
	 */
	private void move(BooleanSupplier condition) {
		Awaitility.await().pollInterval(Duration.ofMillis(1)).pollDelay(Duration.ZERO).until(() -> {
			if (!this.first.isBusy() && !this.second.isBusy()) {
				this.clock.advance(STEP);
			}
			assertThat(this.first.leads() && this.second.leads()).as("whether two lead").isFalse();
			return condition.getAsBoolean();
		});
	}

	private void pass(Duration duration) {
		long until = this.clock.nanoTime() + duration.toNanos();
		move(() -> this.clock.nanoTime() - until >= 0);
	}

	private static void await(BooleanSupplier condition) {
		Awaitility.await().pollInterval(Duration.ofMillis(1)).pollDelay(Duration.ZERO).until(condition::getAsBoolean);
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
