package io.distributedlock.it.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.it.sample.SampleInstance.Answer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample as the README runs it: the locks are in the database of the orders.
 */
class SampleApplicationProcessIntegrationTests extends SampleContract {

	@Override
	List<String> arguments() {
		return List.of();
	}

	@Test
	void instancesThatStartAtOnceShareOneDatabase() {
		this.carrier.put("/orders/99?stock=5");

		assertThat(this.client.get("/orders/99").<Integer>read("$.stock")).isEqualTo(5);
		assertThat(this.carrier.carriesDatabase()).isTrue();
		assertThat(this.client.carriesDatabase()).isFalse();
	}

	@Test
	void scheduledCountsRunOneAtATime() throws InterruptedException {
		List<Map<String, Object>> ended = awaitEndedRuns(0, 4);

		for (int i = 1; i < ended.size(); i++) {
			assertThat(instant(ended.get(i), "startedAt"))
				.as("start of %s after the end of %s", ended.get(i), ended.get(i - 1))
				.isAfterOrEqualTo(instant(ended.get(i - 1), "endedAt"));
		}
	}

	@Test
	void instanceThatFindsTheCountRunningSkipsItInsteadOfWaiting() throws InterruptedException {
		int newest = this.carrier.get("/runs?limit=1").<List<Integer>>read("$[*].run").stream().findFirst().orElse(0);

		List<Map<String, Object>> ended = awaitEndedRuns(newest, 6);

		// The schedule is due each second on both instances. If they waited, each second
		// would have two runs. A run that is late by more than the minimum hold may add
		// one.
		assertThat(ended.stream().map((run) -> instant(run, "startedAt").getEpochSecond()).distinct().count())
			.as("seconds with a run among %s", ended)
			.isGreaterThanOrEqualTo(5);
	}

	@Test
	void lockOfKilledHolderThatWasClientOfTheDatabaseIsFreeAfterTheTtl() throws InterruptedException {
		Duration taken = timeToReserveAfterKill(this.client, this.carrier, 103);

		print("holder without H2's server", taken, TTL.plusSeconds(1));
	}

	@Test
	void lockOfKilledHolderThatCarriedTheDatabaseIsFreeOnceTheOtherHasOpenedIt() throws InterruptedException {
		Duration taken = timeToReserveAfterKill(this.carrier, this.client, 104);

		print("holder with H2's server", taken, TTL.plusSeconds(5));
	}

	private static Duration timeToReserveAfterKill(SampleInstance holder, SampleInstance other, int order)
			throws InterruptedException {
		holder.put("/orders/" + order + "?stock=10");
		long before = System.nanoTime();
		holder.postAsync("/orders/" + order + "/stall?ms=60000");
		holder.process().awaitLine("Order " + order + ": stalling");

		long killed = System.nanoTime();
		holder.process().kill();
		Answer reserved = insist(() -> other.post("/orders/" + order + "/reserve"));
		long end = System.nanoTime();

		assertThat(reserved.status()).as(reserved.body()).isEqualTo(200);
		assertThat(reserved.<Integer>read("$.stock")).isEqualTo(9);
		assertThat(Duration.ofNanos(end - before)).isGreaterThan(TTL);
		return Duration.ofNanos(end - killed);
	}

	private static void print(String what, Duration taken, Duration goal) {
		System.out.printf("== kill -9 of a %s: the lock was had after %d ms (goal: %d ms)%n", what, taken.toMillis(),
				goal.toMillis());
	}

	/**
	 * Return the ended runs after a number, oldest first. Runs of killed instances never
	 * end.
	 */
	private List<Map<String, Object>> awaitEndedRuns(int after, int atLeast) throws InterruptedException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		List<Map<String, Object>> ended;
		do {
			TimeUnit.MILLISECONDS.sleep(200);
			ended = this.carrier.get("/runs?limit=1000").read("$[?(@.endedAt != null && @.run > " + after + ")]");
		}
		while (ended.size() < atLeast && System.nanoTime() < deadline);
		assertThat(ended).hasSizeGreaterThanOrEqualTo(atLeast);
		return ended.stream().sorted(Comparator.comparingInt((run) -> (Integer) run.get("run"))).toList();
	}

	private static Instant instant(Map<String, Object> run, String field) {
		return Instant.parse((String) run.get(field));
	}

}
