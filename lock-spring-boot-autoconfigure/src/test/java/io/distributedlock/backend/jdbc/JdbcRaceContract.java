package io.distributedlock.backend.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Concurrent attempts, on any database.
 */
public abstract class JdbcRaceContract {

	private final JdbcTestDatabase database = database();

	private final List<JdbcTestClient> clients = new ArrayList<>();

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		for (int i = 0; i < 4; i++) {
			this.clients.add(new JdbcTestClient(this.database.dataSource(), this.database.settings()));
		}
	}

	@AfterEach
	void stop() {
		this.clients.forEach(JdbcTestClient::close);
	}

	@Test
	void raceForAMissingRowHasOneWinnerAndNoFault() throws Exception {
		for (int round = 0; round < 10; round++) {
			String key = "race:" + round;
			CyclicBarrier start = new CyclicBarrier(50);

			List<AttemptOutcome> outcomes = inParallel(50, (number) -> {
				start.await(60, TimeUnit.SECONDS);
				return client(number).attempt(key);
			});

			assertThat(outcomes).filteredOn(AttemptOutcome.Granted.class::isInstance).hasSize(1);
			assertThat(outcomes).filteredOn(AttemptOutcome.Busy.class::isInstance).hasSize(49);
		}
	}

	@Test
	void holdersOfAKeyNeverMeetAndTheirTokensGrow() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();

		List<Integer> grants = inParallel(16, (number) -> {
			int granted = 0;
			for (int i = 0; i < 50; i++) {
				AttemptOutcome outcome = client(number).attempt("hot:" + i % 2);
				assertThat(outcome).isNotInstanceOf(AttemptOutcome.Unavailable.class);
				if (i % 2 == 0 && outcome instanceof AttemptOutcome.Granted grant) {
					most.accumulateAndGet(inside.incrementAndGet(), Math::max);
					tokens.add(grant.grant().token().first());
					inside.decrementAndGet();
				}
				if (outcome instanceof AttemptOutcome.Granted grant) {
					assertThat(client(number).release(grant.grant())).isTrue();
					granted++;
				}
			}
			return granted;
		});

		assertThat(grants.stream().mapToInt(Integer::intValue).sum()).isPositive();
		assertThat(most).hasValue(1);
		assertThat(new ArrayList<>(tokens)).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void readersPermitsAndWritersNeverMeetAndMeetNoFault() throws Exception {
		AtomicIntegerArray inside = new AtomicIntegerArray(3);

		List<Integer> grants = inParallel(12, (number) -> {
			int granted = 0;
			int mode = number % 3;
			for (int i = 0; i < 40; i++) {
				String key = "group:" + i % 2;
				AttemptOutcome outcome = (mode == 0) ? client(number).attempt(key)
						: client(number).attempt(key, (mode == 1) ? 0 : 2);
				assertThat(outcome).isNotInstanceOf(AttemptOutcome.Unavailable.class);
				if (outcome instanceof AttemptOutcome.Granted grant) {
					granted++;
					if (i % 2 == 0) {
						assertThat(inside.incrementAndGet(mode)).isLessThanOrEqualTo((mode == 1) ? 4 : 1 + mode / 2);
						assertThat(inside.get((mode + 1) % 3) + inside.get((mode + 2) % 3)).isZero();
						assertThat(client(number).renew(grant.grant(), JdbcTestClient.TTL))
							.isInstanceOf(RenewalOutcome.Renewed.class);
						inside.decrementAndGet(mode);
					}
					assertThat(client(number).release(grant.grant())).isTrue();
				}
			}
			return granted;
		});

		assertThat(grants.stream().mapToInt(Integer::intValue).sum()).isPositive();
		client(0).acquire("group:0");
		client(0).acquire("group:1");
	}

	@Test
	void membersOfAdjacentKeysThatAreMissingAllEnterAndMeetNoFault() throws Exception {
		CyclicBarrier start = new CyclicBarrier(40);

		List<AttemptOutcome> outcomes = inParallel(40, (number) -> {
			start.await(60, TimeUnit.SECONDS);
			AttemptOutcome outcome = client(number).attempt("adjacent:" + number, number % 2);
			assertThat(client(number).attempt("adjacent:" + (39 - number), (number + 1) % 2))
				.isNotInstanceOf(AttemptOutcome.Unavailable.class);
			return outcome;
		});

		assertThat(outcomes).noneMatch(AttemptOutcome.Unavailable.class::isInstance);
		assertThat(outcomes).anyMatch(AttemptOutcome.Granted.class::isInstance);
	}

	@Test
	void crowdOnAdjacentRowsThatAreMissingIsExclusiveAndMeetsNoFault() throws Exception {
		int keys = 20;
		AtomicIntegerArray inside = new AtomicIntegerArray(keys);
		CyclicBarrier start = new CyclicBarrier(200);

		List<Integer> grants = inParallel(200, (number) -> {
			start.await(60, TimeUnit.SECONDS);
			int granted = 0;
			for (int i = 0; i < 4; i++) {
				int key = (number + 7 * i) % keys;
				AttemptOutcome outcome = client(number).attempt("adjacent:" + key);
				assertThat(outcome).isNotInstanceOf(AttemptOutcome.Unavailable.class);
				if (outcome instanceof AttemptOutcome.Granted grant) {
					assertThat(inside.incrementAndGet(key)).isEqualTo(1);
					inside.decrementAndGet(key);
					assertThat(client(number).release(grant.grant())).isTrue();
					granted++;
				}
			}
			return granted;
		});

		assertThat(grants.stream().mapToInt(Integer::intValue).sum()).isGreaterThanOrEqualTo(keys);
		for (int key = 0; key < keys; key++) {
			client(0).acquire("adjacent:" + key);
		}
	}

	@Test
	void releasesThatComeTogetherKeepTheirOwnOutcomes() throws Exception {
		JdbcTestClient client = client(0);
		List<LeaseGrant> grants = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			grants.add(client.acquire("many:" + i));
			if (i % 3 == 0) {
				this.database.expire("many:" + i);
				client(1).acquire("many:" + i);
			}
		}

		List<Boolean> released = inParallel(60, (number) -> client.release(grants.get(number)));

		for (int i = 0; i < 60; i++) {
			assertThat(released.get(i)).as("many:" + i).isEqualTo(i % 3 != 0);
			assertThat(client.attempt("many:" + i))
				.isInstanceOf((i % 3 != 0) ? AttemptOutcome.Granted.class : AttemptOutcome.Busy.class);
		}
	}

	private JdbcTestClient client(int number) {
		return this.clients.get(number % this.clients.size());
	}

	private static <T> List<T> inParallel(int threads, Task<T> task) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<T>> calls = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int number = i;
				calls.add(() -> task.run(number));
			}
			List<T> results = new ArrayList<>();
			for (Future<T> future : executor.invokeAll(calls)) {
				results.add(future.get());
			}
			return results;
		}
		finally {
			executor.shutdownNow();
		}
	}

	private interface Task<T> {

		T run(int number) throws Exception;

	}

}
