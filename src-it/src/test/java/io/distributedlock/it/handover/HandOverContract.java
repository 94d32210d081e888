package io.distributedlock.it.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import org.assertj.core.api.SoftAssertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Contract for hand-over inside a JVM: its bounds towards other JVMs once the store has
 * lost the lease, and its costs. A store is tested by a subclass that connects clients.
 * <p>
 * A round has a long queue on a key of its own in one JVM, takes the lock away during
 * hand-overs, and lets another JVM acquire it. There are {@code -Dlock.test.rounds} of
 * each kind, 20 by default.
 */
@Tag(LockBackendContract.HISTORIES)
abstract class HandOverContract {

	/**
	 * The prefix of all keys in the store.
	 */
	static final String PREFIX = "lock:";

	private static final int ROUNDS = Integer.getInteger("lock.test.rounds", 20);

	/**
	 * Rounds at the same time. They sleep more than they work.
	 */
	private static final int PARALLEL = 4;

	/**
	 * Enough for the longest round, because a body takes 1.5 ms on average.
	 */
	private static final int WAITERS = 200;

	/**
	 * How long the other JVM keeps the lock.
	 */
	private static final Duration HOLD = Duration.ofMillis(150);

	/**
	 * The age at which an answer of the store no longer counts for a hand-over.
	 */
	private static final long WINDOW = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * The least age at which it no longer counts.
	 */
	private static final long LEAST_WINDOW = TimeUnit.MILLISECONDS.toNanos(25);

	/**
	 * The least time between two asks whether the lease still stands.
	 */
	private static final long ASKING = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * How many hand-overs precede the loss of the lock in each round.
	 */
	private static final int LEAST_HAND_OVERS = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int PAIRS = 100;

	private static final String RUN = OwnerId.random().value().substring(0, 8);

	private static final AtomicLong KEYS = new AtomicLong();

	private final Map<String, Round> rounds = new ConcurrentHashMap<>();

	private TestJvm here;

	private TestJvm there;

	/**
	 * Create a client, as a further JVM would have it. The test starts and stops it.
	 * @param clock the clock on which it counts
	 * @return the client, not started
	 */
	protected abstract LockBackend newClient(LockClock clock);

	/**
	 * Return whether locks can be deleted without the clients' knowledge.
	 * @return whether {@link #delete} works
	 */
	protected boolean canDelete() {
		return true;
	}

	/**
	 * Delete all data of a lock at the store, as an operator or a restart without data
	 * does, and return when it is deleted.
	 * @param key the key
	 */
	protected abstract void delete(String key);

	/**
	 * Return how many requests of clients the store has had, by its own count.
	 * @return the number of statements or scripts
	 */
	protected abstract long requests();

	@BeforeEach
	void start() {
		this.here = new TestJvm(this, this::note);
		this.there = new TestJvm(this, (grant) -> {
		});
		for (TestJvm jvm : List.of(this.here, this.there)) {
			jvm.template().acquire(newKey()).release();
		}
	}

	@AfterEach
	void stop() {
		this.here.close();
		this.there.close();
	}

	@Test
	void nothingIsPassedOnBesideAnotherJvmAfterAForcedRelease() throws Exception {
		List<Round> byOther = play((ROUNDS + 1) / 2, (index) -> (key) -> this.there.locks().forceRelease(key),
				(index) -> true);
		List<Round> bySame = play((ROUNDS + 1) / 2, (index) -> (key) -> this.here.locks().forceRelease(key),
				(index) -> true);

		Figures other = new Figures(name() + ", released by force in another JVM", byOther);
		Figures same = new Figures(name() + ", released by force in the same JVM", bySame);
		other.print();
		same.print();
		SoftAssertions.assertSoftly((softly) -> {
			for (Figures figures : List.of(other, same)) {
				softly.assertThat(figures.passedOnBesideTheStranger())
					.as("%s: leases passed on after the grant of the other JVM", figures.name())
					.isZero();
				softly.assertThat(figures.passedOnAfterTheLossBy(WINDOW))
					.as("%s: leases passed on later than 100 ms", figures.name())
					.isZero();
			}
			softly.assertThat(same.passedOnAfterTheLossBy(0))
				.as("%s: leases passed on after the answer", same.name())
				.isZero();
		});
		other.assertThatChainsWereHit();
		same.assertThatChainsWereHit();
	}

	@Test
	void nothingIsPassedOnForLongAfterTheStoreHasLostTheLease() throws Exception {
		assumeTrue(canDelete());

		List<Round> rounds = play(ROUNDS, (index) -> this::delete, (index) -> index % 2 == 0);

		Figures figures = new Figures(name() + ", deleted in the store", rounds);
		figures.print();
		assertThat(figures.passedOnAfterTheLossBy(WINDOW)).as("%s: leases passed on later than 100 ms", figures.name())
			.isZero();
		figures.assertThatChainsWereHit();
	}

	@Test
	void acquisitionThatIsNotPassedOnCostsNoRenewal() {
		String key = newKey();
		this.here.template().acquire(key).release();
		CountedBackend.Calls before = this.here.backend().calls();
		long requested = requests();

		for (int i = 0; i < PAIRS; i++) {
			this.here.template().acquire(key).release();
		}

		CountedBackend.Calls calls = this.here.backend().calls().since(before);
		System.out.printf("== %s, %d acquisitions and releases: %d requests, %s%n", name(), PAIRS,
				requests() - requested, calls);
		assertThat(calls.renewals()).isZero();
		assertThat(calls.releases()).isEqualTo(PAIRS);
	}

	/**
	 * The bounds depend on the actual duration of the chain, so a busy machine does not
	 * matter.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void chainOfHandOversCostsAnAcquisitionAReleaseAndItsAsks(boolean working) throws Exception {
		String key = newKey();
		Round round = new Round();
		this.rounds.put(key, round);
		Lease head = this.here.template().acquire(key);
		List<CompletableFuture<Lease>> waiting = enqueue(key, PAIRS);
		CompletableFuture<?> bodies = bodies(waiting, working ? round::body : round::release);
		CountedBackend.Calls before = this.here.backend().calls();
		long requested = requests();
		long begin = System.nanoTime();

		round.release(head);

		bodies.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		// The last one's release is counted before it is answered.
		CountedBackend.Calls calls = this.here.backend().calls().since(before);
		long elapsed = System.nanoTime() - begin;
		int grants = round.grants() - 1;
		System.out.printf(
				"== %s, %d waiters with %s bodies: %d hand-overs and %d grants within %d ms, %d requests, %s%n", name(),
				PAIRS, working ? "short" : "empty", round.handOvers(), grants, TimeUnit.NANOSECONDS.toMillis(elapsed),
				requests() - requested, calls);
		assertThat(round.handOvers() + grants).isEqualTo(PAIRS);
		assertThat((long) grants).isLessThanOrEqualTo(1 + elapsed / LEAST_WINDOW);
		assertThat(calls.releases()).isEqualTo(1 + grants);
		assertThat((long) calls.renewals()).isLessThanOrEqualTo(grants + elapsed / ASKING);
	}

	private List<Round> play(int number, IntFunction<Consumer<String>> loss, IntPredicate taken) throws Exception {
		ExecutorService players = Executors.newFixedThreadPool(PARALLEL);
		try {
			List<Future<Round>> playing = new ArrayList<>();
			for (int i = 0; i < number; i++) {
				Consumer<String> lose = loss.apply(i);
				boolean take = taken.test(i);
				playing.add(players.submit(() -> play(lose, take)));
			}
			List<Round> played = new ArrayList<>();
			for (Future<Round> round : playing) {
				played.add(round.get());
			}
			return played;
		}
		finally {
			players.shutdownNow();
		}
	}

	/**
	 * Let leases be handed over, take the lock away at some moment, and record the
	 * hand-overs while another JVM has it, or while it should be free.
	 */
	private Round play(Consumer<String> loss, boolean taken) throws Exception {
		String key = newKey();
		Round round = new Round();
		this.rounds.put(key, round);
		Lease head = this.here.template().acquire(key);
		List<CompletableFuture<Lease>> waiting = enqueue(key, WAITERS);
		CompletableFuture<?> bodies = bodies(waiting, round::body);
		round.release(head);
		ThreadLocalRandom random = ThreadLocalRandom.current();
		int handOvers = random.nextInt(LEAST_HAND_OVERS, 30);
		Awaitility.await("hand-overs")
			.atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> round.handOvers() >= handOvers);
		LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(3)));

		round.lose(() -> loss.accept(key));
		if (taken) {
			Lease lease = this.there.template().acquire(key);
			round.takenBy(lease);
			Thread.sleep(HOLD.toMillis());
			lease.release();
		}
		else {
			Thread.sleep(HOLD.toMillis());
		}

		// Cancel the last waiter first, so that no other moves up and attempts.
		for (int i = waiting.size() - 1; i >= 0; i--) {
			waiting.get(i).cancel(false);
		}
		bodies.handle((done, cancellation) -> true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		return round;
	}

	private List<CompletableFuture<Lease>> enqueue(String key, int number) {
		LockRequest request = LockRequest.of(key).waitTime(PATIENCE);
		return IntStream.range(0, number)
			.mapToObj((index) -> this.here.template().acquireAsync(request).toCompletableFuture())
			.toList();
	}

	private static CompletableFuture<?> bodies(List<CompletableFuture<Lease>> waiting, Consumer<Lease> body) {
		return CompletableFuture
			.allOf(waiting.stream().map((lease) -> lease.thenAccept(body)).toArray(CompletableFuture[]::new));
	}

	private String newKey() {
		return "hand-over:" + RUN + ":" + KEYS.incrementAndGet();
	}

	private String name() {
		return getClass().getSimpleName().replace("HandOverIntegrationTests", "");
	}

	private void note(LeaseGrant grant) {
		Round round = this.rounds.get(grant.target().key());
		if (round != null) {
			round.acquired(grant);
		}
	}

	/**
	 * The figures of all rounds of one kind.
	 *
	 * @param name the kind
	 * @param rounds the rounds
	 */
	private record Figures(String name, List<Round> rounds) {

		private List<Long> all(Function<Round, List<Long>> nanos) {
			return this.rounds.stream().flatMap((round) -> nanos.apply(round).stream()).toList();
		}

		long passedOnBesideTheStranger() {
			return all(Round::passedOnBesideTheStranger).size();
		}

		long passedOnAfterTheLossBy(long least) {
			return all(Round::passedOnAfterTheLoss).stream().filter((nanos) -> nanos > least).count();
		}

		private int handOvers() {
			return this.rounds.stream().mapToInt(Round::handOvers).sum();
		}

		private long hit() {
			return this.rounds.stream().filter(Round::isHit).count();
		}

		void print() {
			System.out.printf(
					"== %s: %d rounds, %d of them hit a body, %d hand-overs; after the loss %s; beside the"
							+ " other JVM's lease %s%n",
					this.name, this.rounds.size(), hit(), handOvers(),
					summary(Round::passedOnAfterTheLoss, Round::begunAfterTheLoss),
					summary(Round::passedOnBesideTheStranger, Round::begunBesideTheStranger));
		}

		private String summary(Function<Round, List<Long>> passedOn, Function<Round, List<Long>> begun) {
			return "%s passed on (longest after %.1f ms), %d bodies begun (longest after %.1f ms)"
				.formatted(all(passedOn).size(), longest(passedOn), all(begun).size(), longest(begun));
		}

		private double longest(Function<Round, List<Long>> nanos) {
			return all(nanos).stream().mapToLong(Long::longValue).max().orElse(0) / 1e6;
		}

		/**
		 * Without hand-overs, or with losses that always fall between two grants, the
		 * rounds would prove nothing.
		 */
		void assertThatChainsWereHit() {
			assertThat(handOvers()).as("hand-overs").isGreaterThanOrEqualTo(LEAST_HAND_OVERS * this.rounds.size());
			assertThat(hit()).as("rounds in which a body ran at the loss").isGreaterThan(this.rounds.size() / 4);
		}

	}

}
