package io.distributedlock.it.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.sample.SampleInstance.Answer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the sample on one H2 file. The one that had it first carries the
 * database and serves the other one, its this.client.
 */
class SampleApplicationProcessIntegrationTests {

	static final Duration TTL = Duration.ofSeconds(3);

	// Far above what is expected, for a machine that is busy with other things.
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	@TempDir
	static Path folder;

	private static final List<SampleInstance> running = new ArrayList<>();

	private static int started;

	private SampleInstance carrier;

	private SampleInstance client;

	@BeforeEach
	void ensureThatTwoInstancesRun() throws IOException, InterruptedException {
		running.removeIf((instance) -> !instance.process().isAlive());
		List<JavaProcess> launched = new ArrayList<>();
		while (running.size() + launched.size() < 2) {
			launched.add(SampleInstance.launch(processes, "instance-" + (++started), folder));
		}
		for (JavaProcess process : launched) {
			running.add(SampleInstance.await(process));
		}
		boolean firstCarries = running.get(0).carriesDatabase();
		this.carrier = running.get(firstCarries ? 0 : 1);
		this.client = running.get(firstCarries ? 1 : 0);
	}

	@Test
	void instancesThatStartAtOnceShareOneDatabase() {
		this.carrier.put("/orders/99?stock=5");

		assertThat(this.client.get("/orders/99").<Integer>read("$.stock")).isEqualTo(5);
		assertThat(this.carrier.carriesDatabase()).isTrue();
		assertThat(this.client.carriesDatabase()).isFalse();
	}

	@Test
	void concurrentReservationsOnBothInstancesTakeExactlyTheStock() {
		this.carrier.put("/orders/100?stock=120");

		long start = System.nanoTime();
		List<Answer> answers = atOnce(200, (i) -> insist(() -> either(i).post("/orders/100/reserve")));
		Duration time = Duration.ofNanos(System.nanoTime() - start);

		List<Answer> taken = answers.stream().filter((answer) -> answer.status() == 200).toList();
		assertThat(answers).filteredOn((answer) -> answer.status() == 409)
			.hasSize(80)
			.allSatisfy((answer) -> assertThat(answer.<String>read("$.type")).isEqualTo("urn:problem:out-of-stock"));
		assertThat(taken).extracting((answer) -> answer.<Integer>read("$.stock"))
			.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 120).boxed().toList());
		Function<Answer, String> changedBy = (answer) -> answer.read("$.changedBy");
		assertThat(taken).extracting(changedBy).contains(name(this.carrier), name(this.client));
		assertThat(this.carrier.get("/orders/100").<Integer>read("$.stock")).isZero();
		System.out.printf("== 200 reservations over two instances: %d taken in %d ms, by instance %s%n", taken.size(),
				time.toMillis(), taken.stream().collect(Collectors.groupingBy(changedBy, Collectors.counting())));
	}

	@Test
	void laterReservationsHaveGreaterTokensAcrossInstances() {
		this.carrier.put("/orders/101?stock=20");

		List<Long> tokens = IntStream.range(0, 20)
			.mapToObj((i) -> insist(() -> either(i).post("/orders/101/reserve")))
			.map((answer) -> answer.<String>read("$.lastToken"))
			.map(Long::valueOf)
			.toList();

		assertThat(tokens).doesNotHaveDuplicates().isSorted();
	}

	@Test
	void writeOfStalledHolderIsRefusedAfterTheOtherInstanceHasWritten() throws InterruptedException {
		this.carrier.put("/orders/102?stock=10");
		CompletableFuture<Answer> stall = this.carrier
			.postAsync("/orders/102/stall?ms=" + TTL.plusSeconds(3).toMillis());
		this.carrier.process().awaitLine("Order 102: stalling");

		Answer reserved = insist(() -> this.client.post("/orders/102/reserve"));
		Answer refused = stall.join();

		assertThat(reserved.status()).isEqualTo(200);
		assertThat(refused.status()).isEqualTo(409);
		assertThat(refused.<String>read("$.type")).isEqualTo("urn:problem:stale-token");
		assertThat(this.carrier.get("/orders/102").<Integer>read("$.stock")).isEqualTo(9);
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

		// The schedule is due each second on both. Would they wait, each second had two
		// runs; one that is late by more than the minimum hold may add a run.
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

	private SampleInstance either(int number) {
		return (number % 2 == 0) ? this.carrier : this.client;
	}

	private static List<Answer> atOnce(int count, IntFunction<Answer> request) {
		ExecutorService threads = Executors.newFixedThreadPool(count);
		try {
			List<CompletableFuture<Answer>> requests = IntStream.range(0, count)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> request.apply(i), threads))
				.toList();
			return requests.stream().map(CompletableFuture::join).toList();
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static void print(String what, Duration taken, Duration goal) {
		System.out.printf("== kill -9 of a %s: the lock was had after %d ms (goal: %d ms)%n", what, taken.toMillis(),
				goal.toMillis());
	}

	/**
	 * Ask again as long as the sample says that this is worth while.
	 */
	private static Answer insist(Supplier<Answer> request) {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		Answer answer = request.get();
		while (answer.isWorthRetrying() && System.nanoTime() < deadline) {
			answer = request.get();
		}
		return answer;
	}

	/**
	 * Return the runs after a number that ended, oldest first; those of killed instances
	 * never do.
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

	private static String name(SampleInstance instance) {
		return instance.process().name();
	}

}
