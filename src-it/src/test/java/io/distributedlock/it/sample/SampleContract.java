package io.distributedlock.it.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.sample.SampleInstance.Answer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of two instances of the sample, whatever the store of the locks. The orders
 * are in one H2 file. The instance that opened it first serves the database to the other
 * one, its {@link #client}.
 */
abstract class SampleContract {

	static final Duration TTL = Duration.ofSeconds(3);

	// Far above what is expected, for a machine that is busy with other things.
	static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String STALE = "urn:problem:stale-token";

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	@TempDir
	static Path folder;

	private static final List<SampleInstance> running = new ArrayList<>();

	private static int started;

	SampleInstance carrier;

	SampleInstance client;

	/**
	 * Return the arguments that select the store of the locks.
	 * @return arguments of the application
	 */
	abstract List<String> arguments();

	/**
	 * Return the command that starts an instance.
	 * @return the command, without arguments
	 */
	JavaCommand application() {
		return SampleInstance.application();
	}

	@BeforeEach
	void ensureThatTwoInstancesRun() throws IOException, InterruptedException {
		running.removeIf((instance) -> !instance.process().isAlive());
		List<JavaProcess> launched = new ArrayList<>();
		while (running.size() + launched.size() < 2) {
			launched
				.add(SampleInstance.launch(processes, "instance-" + (++started), folder, application(), arguments()));
		}
		for (JavaProcess process : launched) {
			running.add(SampleInstance.await(process));
		}
		boolean firstCarries = running.get(0).carriesDatabase();
		this.carrier = running.get(firstCarries ? 0 : 1);
		this.client = running.get(firstCarries ? 1 : 0);
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
		boolean inTime = !stall.isDone();
		Answer refused = stall.join();

		assertThat(reserved.status()).isEqualTo(200);
		assertThat(refused.status()).isEqualTo(409);
		// On a busy machine the other instance may be too late.
		assertThat(refused.<String>read("$.type"))
			.isIn(inTime ? List.of(STALE) : List.of(STALE, "urn:problem:lease-lost"));
		assertThat(this.carrier.get("/orders/102").<Integer>read("$.stock")).isEqualTo(9);
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

	static void stopAll() throws InterruptedException {
		for (SampleInstance instance : running) {
			instance.process().stop();
		}
	}

	/**
	 * Repeat the request as long as the sample answers that a retry may succeed.
	 */
	static Answer insist(Supplier<Answer> request) {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		Answer answer = request.get();
		while (answer.isWorthRetrying() && System.nanoTime() < deadline) {
			answer = request.get();
		}
		return answer;
	}

	private static String name(SampleInstance instance) {
		return instance.process().name();
	}

}
