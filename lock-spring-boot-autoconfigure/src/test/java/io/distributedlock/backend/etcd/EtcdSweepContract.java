package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockMode;
import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.backend.call.RepeatedRequestException;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that entries that the session owns and no lease or waiter uses are removed, and
 * no others.
 */
public abstract class EtcdSweepContract {

	private static final Duration LONG = Duration.ofSeconds(20);

	private final String namespace = "sweep/" + OwnerId.random().value().substring(0, 8) + "/";

	private final EtcdKeys keys = new EtcdKeys(this.namespace, new KeyPrefix("lock:"));

	private final SystemLockClock clock = new SystemLockClock();

	private EtcdStoreConnection connection;

	/**
	 * Return the connections to etcd.
	 */
	protected abstract Client connections();

	@BeforeEach
	void start() {
		this.connection = connect("test@host:1", JetcdLink.to(connections()));
	}

	@AfterEach
	void stop() {
		this.connection.close();
		this.clock.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void placeThatIsNotUsedIsGivenBackAtTheSecondLook(LockMode mode) {
		ByteSequence orphan = this.keys.entry(LockTarget.of("k", mode), OwnerId.random());
		long session = await(this.connection.sessions().open()).leaseId();
		await(connections().getKVClient()
			.put(orphan, ByteSequence.from("1|20|0|test", StandardCharsets.UTF_8),
					PutOption.builder().withLeaseId(session).build()));

		assertThat(await(this.connection.sweep().sweep())).isZero();
		assertThat(places("k")).isEqualTo(1);

		assertThat(await(this.connection.sweep().sweep())).isOne();
		assertThat(places("k")).isZero();
	}

	/**
	 * A request whose answer is late is repeated through another member. The lock may
	 * have been granted and released when the first request is executed.
	 */
	@Test
	void placeThatIsPutThereAfterTheReleaseKeepsTheKeyBusyOnlyShortly() {
		LateLink link = new LateLink(JetcdLink.to(connections()));
		EtcdStoreConnection late = connect("test@host:2", link);
		await(late.sessions().open());
		link.holdNext();
		LeaseRequest request = new LeaseRequest(OwnerId.random(), LONG, 1, null, false, Duration.ofSeconds(6),
				Duration.ZERO);
		AttemptOutcome outcome = await(late.contend(LockTarget.exclusive("k"), () -> {
		}).attempt(request));
		LeaseGrant grant = ((AttemptOutcome.Granted) outcome).grant();
		assertThat(await(late.release(grant, Duration.ZERO))).isTrue();

		await(link.deliver());

		assertThat(places("k")).isEqualTo(1);
		// Without late requests, sweeps are a minute apart.
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> places("k") == 0);
		late.close();
	}

	/**
	 * When the release is answered, all requests have been answered, but one of them was
	 * executed after the release.
	 */
	@Test
	void placeThatIsPutThereAfterTheReleaseAndAnsweredBeforeItKeepsTheKeyBusyOnlyShortly() {
		try (LateJvm late = new LateJvm()) {
			late.takeByTheSecondRequest("k");
			late.link.letNextOvertake();

			assertThat(await(late.release())).isTrue();
			assertThat(places("k")).isEqualTo(1);
			late.time(Duration.ofSeconds(2));

			Awaitility.await().until(() -> places("k") == 0);
		}
	}

	/**
	 * All places of a request have one revision, so those that are gone are not put there
	 * beside the others.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "k", "l" })
	void placeThatWasTakenAwayIsNotPutThereAgainBesideTheOthersOfTheRequest(String forced) {
		try (LateJvm late = new LateJvm()) {
			late.takeByTheSecondRequest("k", "l");
			assertThat(await(this.connection.forceRelease(forced, Duration.ZERO))).isTrue();

			await(late.link.deliver());

			assertThat(places("k") + places("l")).isEqualTo(1);
			assertThat(await(late.release())).isFalse();
			assertThat(places("k") + places("l")).isZero();
		}
	}

	@Test
	void placesForSeveralKeysThatArePutThereAfterTheReleaseKeepThemBusyOnlyShortly() {
		try (LateJvm late = new LateJvm()) {
			late.takeByTheSecondRequest("k", "l");
			assertThat(await(late.release())).isTrue();

			await(late.link.deliver());
			assertThat(places("k") + places("l")).isEqualTo(2);
			late.time(Duration.ofSeconds(2));

			Awaitility.await().until(() -> places("k") + places("l") == 0);
		}
	}

	@Test
	void placeThatIsPutThereAfterItWasLeftAndAnsweredBeforeThatKeepsTheKeyBusyOnlyShortly() {
		attempt("k", true);
		try (LateJvm late = new LateJvm()) {
			late.link.holdNext();
			CompletionStage<AttemptOutcome> attempt = late.attempt("k");
			late.link.letOvertakeAfter(1);
			late.clock.advance(LONG.dividedBy(2));

			assertThat(await(attempt)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(places("k")).isEqualTo(2);
			late.time(Duration.ofSeconds(2));

			Awaitility.await().until(() -> places("k") == 1);
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void placeThatIsPutThereLongAfterItWasGivenUpKeepsTheKeyBusyForAMinuteAtMost(LockMode mode) {
		try (LateJvm late = new LateJvm(mode)) {
			late.takeAndRelease("k");
			late.time(Duration.ofSeconds(40));

			await(late.link.deliver());
			assertThat(places("k")).isEqualTo(1);
			late.time(Duration.ofSeconds(60));

			Awaitility.await().until(() -> places("k") == 0);
		}
	}

	@Test
	void placeThatIsPutThereLongAfterItWasGivenUpIsClearedAwayImmediatelyWhenEtcdAnswersAgain() {
		try (LateJvm late = new LateJvm()) {
			late.takeAndRelease("k");
			late.time(Duration.ofSeconds(40));
			await(late.link.deliver());
			assertThat(places("k")).isEqualTo(1);

			late.links.note(false);
			late.links.note(true);

			Awaitility.await().until(() -> places("k") == 0);
		}
	}

	@Test
	void placeOfWhichAllRequestsWereAnsweredIsNotDoubtedForLong() {
		LateLink link = new LateLink(JetcdLink.to(connections()));
		EtcdStoreConnection client = connect("test@host:2", link);
		Contender contender = client.contend(LockTarget.exclusive("k"), () -> {
		});
		assertThat(await(contender.attempt(request(true)))).isInstanceOf(AttemptOutcome.Granted.class);
		Contender waiter = client.contend(LockTarget.exclusive("k"), () -> {
		});
		assertThat(await(waiter.attempt(request(true)))).isInstanceOf(AttemptOutcome.Busy.class);

		waiter.withdraw();

		Awaitility.await().until(() -> client.givenUp().size() == 0);
		assertThat(places("k")).isEqualTo(1);
		client.close();
	}

	/**
	 * The place of a member whose first request may still be executed is deleted
	 * repeatedly, and so it could end the cooldown for which the place is kept.
	 */
	@Test
	void cooldownOfAMemberIsNotEndedByThoseWhoClearItsPlaceAway() {
		try (LateJvm late = new LateJvm(LockMode.SHARED)) {
			late.takeByTheSecondRequest("k");

			assertThat(await(late.release(LONG.multipliedBy(10)))).isTrue();
			late.time(Duration.ofSeconds(70));
			await(late.link.deliver());
			late.time(Duration.ofSeconds(70));

			assertThat(places("k")).isEqualTo(1);
			late.time(LONG.multipliedBy(10));
			Awaitility.await().until(() -> places("k") == 0);
		}
	}

	/**
	 * The first release was executed, and its answer was lost.
	 */
	@Test
	void releaseOfAMemberForACooldownThatIsSentAgainIsUnknownAndChangesNothing() {
		try (LateJvm late = new LateJvm(LockMode.SHARED)) {
			late.take("k");
			late.link.loseAnswerAfter(0);
			CompletionStage<Boolean> release = late.release(LONG.multipliedBy(10));
			Awaitility.await().until(() -> versionOf("k") == 2);

			late.clock.advance(LONG.dividedBy(2));

			assertThat(release.toCompletableFuture()).failsWithin(LONG)
				.withThrowableThat()
				.withCauseInstanceOf(RepeatedRequestException.class);
			late.time(Duration.ofSeconds(5));
			assertThat(versionOf("k")).isEqualTo(2);
		}
	}

	/**
	 * The first request took the lock away, and its answer was lost.
	 */
	@Test
	void forcedReleaseThatIsSentAgainAndFindsNothingIsUnknown() {
		try (LateJvm late = new LateJvm()) {
			attempt("k", false);
			late.link.loseAnswerAfter(1);
			CompletionStage<Boolean> forced = late.connection.forceRelease("k", Duration.ZERO);
			Awaitility.await().until(() -> places("k") == 0);

			late.clock.advance(LONG.dividedBy(2));

			assertThat(forced.toCompletableFuture()).failsWithin(LONG)
				.withThrowableThat()
				.withCauseInstanceOf(RepeatedRequestException.class);
		}
	}

	@Test
	void placesThatAreHeldOrWaitedInAreLeftAlone() {
		attempt("k", true);
		attempt("k", true);

		for (int i = 0; i < 3; i++) {
			assertThat(await(this.connection.sweep().sweep())).isZero();
		}

		assertThat(places("k")).isEqualTo(2);
	}

	@Test
	void whatALaterVersionHasAttachedToTheSessionIsLeftAlone() {
		long session = await(this.connection.sessions().open()).leaseId();
		String line = this.keys.queue("k").toString(StandardCharsets.UTF_8);
		for (String later : List.of(line + "q" + OwnerId.random().value(), line + "later")) {
			await(connections().getKVClient()
				.put(ByteSequence.from(later, StandardCharsets.UTF_8), ByteSequence.EMPTY,
						PutOption.builder().withLeaseId(session).build()));
		}

		for (int i = 0; i < 3; i++) {
			assertThat(await(this.connection.sweep().sweep())).isZero();
		}

		assertThat(places("k")).isEqualTo(2);
	}

	@Test
	void placesOfOtherSessionsAreLeftAlone() {
		EtcdStoreConnection other = connect("test@host:2", JetcdLink.to(connections()));
		await(other.contend(LockTarget.exclusive("k"), () -> {
		}).attempt(request(false)));

		for (int i = 0; i < 3; i++) {
			assertThat(await(this.connection.sweep().sweep())).isZero();
		}

		assertThat(places("k")).isEqualTo(1);
		other.close();
	}

	private EtcdStoreConnection connect(String instance, EtcdLink link) {
		return connect(instance, links(link, this.clock), LONG, this.clock);
	}

	private static EtcdLinks links(EtcdLink link, LockClock clock) {
		return new EtcdLinks(() -> link, false, clock, LONG);
	}

	private EtcdStoreConnection connect(String instance, EtcdLinks links, Duration sessionTtl, LockClock clock) {
		EtcdLockSettings settings = new EtcdLockSettings(this.namespace, "lock:", instance, LONG, sessionTtl,
				Duration.ofHours(24));
		return new EtcdStoreConnection(links, null, settings, clock, (owner) -> {
		});
	}

	private void attempt(String key, boolean waiting) {
		Contender contender = this.connection.contend(LockTarget.exclusive(key), () -> {
		});
		AttemptOutcome outcome = await(contender.attempt(request(waiting)));
		assertThat(outcome).isNotInstanceOf(AttemptOutcome.Unavailable.class);
	}

	private static LeaseRequest request(boolean waiting) {
		return new LeaseRequest(OwnerId.random(), LONG, 1, null, waiting, LONG, Duration.ZERO);
	}

	private long places(String key) {
		return await(connections().getKVClient().get(this.keys.queue(key), GetOption.builder().isPrefix(true).build()))
			.getCount();
	}

	private long versionOf(String key) {
		return await(connections().getKVClient().get(this.keys.queue(key), GetOption.builder().isPrefix(true).build()))
			.getKvs()
			.get(0)
			.getVersion();
	}

	private static <T> T await(CompletionStage<T> answer) {
		return answer.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	/**
	 * A JVM with a clock of its own, and a request that arrives when the test says so.
	 */
	private final class LateJvm implements AutoCloseable {

		private final VirtualLockClock clock = new VirtualLockClock();

		private final LateLink link = new LateLink(JetcdLink.to(connections()));

		private final EtcdLinks links = links(this.link, this.clock);

		private final EtcdStoreConnection connection = connect("test@host:2", this.links, Duration.ofHours(1),
				this.clock);

		private final LockMode mode;

		private @Nullable LeaseGrant grant;

		LateJvm() {
			this(LockMode.EXCLUSIVE);
		}

		LateJvm(LockMode mode) {
			this.mode = mode;
			await(this.connection.sessions().open());
		}

		/**
		 * Take a lock by the second of two requests, and release it.
		 */
		void takeAndRelease(String key) {
			takeByTheSecondRequest(key);
			assertThat(await(release())).isTrue();
		}

		void take(String key) {
			this.grant = ((AttemptOutcome.Granted) await(attempt(key))).grant();
		}

		void takeByTheSecondRequest(String... keys) {
			this.link.holdNext();
			CompletionStage<AttemptOutcome> attempt = attempt(keys);
			this.clock.advance(LONG.dividedBy(2));
			this.grant = ((AttemptOutcome.Granted) await(attempt)).grant();
		}

		CompletionStage<AttemptOutcome> attempt(String... keys) {
			LeaseRequest request = new LeaseRequest(OwnerId.random(), LONG, 1, (this.mode == LockMode.PERMITS) ? 1 : 0,
					null, false, LONG, Duration.ZERO);
			return this.connection.contend(new LockTarget(List.of(keys), this.mode), () -> {
			}).attempt(request);
		}

		CompletionStage<Boolean> release() {
			return release(Duration.ZERO);
		}

		CompletionStage<Boolean> release(Duration cooldown) {
			return this.connection.release(Objects.requireNonNull(this.grant), cooldown);
		}

		void time(Duration duration) {
			for (long second = 0; second < duration.toSeconds(); second++) {
				this.clock.advance(Duration.ofSeconds(1));
			}
			Awaitility.await("all answers").until(() -> this.link.underWay() == 0);
		}

		@Override
		public void close() {
			this.connection.close();
		}

	}

}
