package io.distributedlock.it.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.it.net.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Contract for an application with fifty threads that take locks while the store is down:
 * how often the store is called, what the log says, how long callers wait, and that all
 * goes on afterwards. Prints the figures. The property {@code lock.test.outage} sets how
 * long the store is down.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class OutageLoadContract {

	private static final int THREADS = 50;

	private static final Duration OUTAGE = Duration.parse(System.getProperty("lock.test.outage", "PT6S"));

	private static final Duration CALL_TIMEOUT = Duration.ofMillis(500);

	private static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Histogram waits = new ConcurrentHistogram(3);

	private final AtomicLong granted = new AtomicLong();

	private final AtomicBoolean stopped = new AtomicBoolean();

	private final List<TcpProxy> proxies = new ArrayList<>();

	/**
	 * Return the name of the store.
	 */
	abstract String store();

	/**
	 * Return the ports of the servers on 127.0.0.1.
	 */
	abstract List<Integer> ports();

	/**
	 * Return the properties by which an application uses the store.
	 * @param ports the ports of the servers on 127.0.0.1
	 * @return the properties, {@code name=value}
	 */
	abstract List<String> properties(List<Integer> ports);

	@BeforeEach
	void openProxies() {
		ports().forEach((port) -> this.proxies.add(TcpProxy.to(port)));
	}

	@AfterEach
	void closeProxies() {
		this.proxies.forEach(TcpProxy::close);
	}

	@Test
	void withACircuitOneCallerProbesTheStoreInEachInterval(CapturedOutput output) throws Exception {
		Outage outage = outage(output, true);

		// While it is open, at most one attempt in each interval, and one at its end.
		assertThat(outage.calls()).isLessThanOrEqualTo(outage.length().dividedBy(PROBE_INTERVAL) + 2);
	}

	@Test
	void withoutACircuitTheLogIsAsShort(CapturedOutput output) throws Exception {
		Outage outage = outage(output, false);

		assertThat(outage.calls()).isPositive();
	}

	private Outage outage(CapturedOutput output, boolean circuit) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		List<Integer> ports = this.proxies.stream().map(TcpProxy::port).toList();
		String address = ":" + ports.get(0);
		List<String> properties = new ArrayList<>(properties(ports));
		properties.addAll(List.of("lock.backend=" + store(), "lock.wait-time=1s", "lock.call-timeout=" + CALL_TIMEOUT,
				"lock.circuit.enabled=" + circuit, "lock.circuit.open-after=1s",
				"lock.circuit.probe-interval=" + PROBE_INTERVAL));
		try (ScrapedApplication application = ScrapedApplication.start(Load.class, properties.toArray(String[]::new))) {
			LockTemplate locks = application.bean(LockTemplate.class);
			MeterRegistry meters = application.bean(MeterRegistry.class);
			for (int i = 0; i < THREADS; i++) {
				LockRequest request = LockRequest.of("key " + i).name("load");
				threads.execute(() -> lockAgainAndAgain(locks, request));
			}
			await().atMost(PATIENCE).until(() -> this.granted.get() > 10 * THREADS);
			// On a busy machine, the first calls may fail.
			await().atMost(PATIENCE)
				.until(() -> count(output, address, "does not answer: ") == count(output, address, "answers again"));
			int linesBefore = lines(output);
			long outagesBefore = count(output, address, "answers again");
			this.waits.reset();
			this.proxies.forEach(TcpProxy::cut);
			await().atMost(PATIENCE).until(() -> !circuit || open(meters));
			await().atMost(PATIENCE).until(() -> lines(output) > linesBefore);
			// Attempts that are under way when the circuit opens end within their
			// timeout.
			TimeUnit.NANOSECONDS.sleep(CALL_TIMEOUT.multipliedBy(2).toNanos());
			long callsBefore = attempts(meters);
			long since = System.nanoTime();
			TimeUnit.NANOSECONDS.sleep(OUTAGE.toNanos());
			Outage outage = new Outage(attempts(meters) - callsBefore, Duration.ofNanos(System.nanoTime() - since));
			int lines = lines(output) - linesBefore;
			String waited = "p50 " + this.waits.getValueAtPercentile(50) + " ms, p99 "
					+ this.waits.getValueAtPercentile(99) + " ms, longest " + this.waits.getMaxValue() + " ms, calls "
					+ this.waits.getTotalCount();

			long grantsBefore = this.granted.get();
			long restored = System.nanoTime();
			this.proxies.forEach(TcpProxy::restore);
			await().atMost(PATIENCE).until(() -> this.granted.get() > grantsBefore);
			Duration recovery = Duration.ofNanos(System.nanoTime() - restored);
			await().atMost(PATIENCE).until(() -> count(output, address, "answers again") > outagesBefore);
			this.stopped.set(true);
			System.out.println("== " + store() + ", " + (circuit ? "with" : "without") + " a circuit, store down for "
					+ outage.length().toMillis() + " ms, " + THREADS + " threads: attempts at the store "
					+ outage.calls() + ", lines in the log " + lines + "; callers waited " + waited
					+ "; first lock after the return " + recovery.toMillis() + " ms");
			// A summary follows each minute only.
			assertThat(count(output, address, "does not answer: ")).isEqualTo(outagesBefore + 1);
			assertThat(count(output, address, "answers again")).isEqualTo(outagesBefore + 1);
			return outage;
		}
		finally {
			this.stopped.set(true);
			threads.shutdown();
			assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
		}
	}

	private void lockAgainAndAgain(LockTemplate locks, LockRequest request) {
		while (!this.stopped.get()) {
			long begin = System.nanoTime();
			try {
				Lease lease = locks.acquire(request);
				this.granted.incrementAndGet();
				lease.release();
			}
			catch (LockBusyException ex) {
				// A release was lost in the outage, and is repeated in the background.
				pause();
			}
			catch (LockUnavailableException ex) {
				this.waits.recordValue(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
				pause();
			}
		}
	}

	/**
	 * As an application that has something else to do.
	 */
	private static void pause() {
		try {
			TimeUnit.MILLISECONDS.sleep(10);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static boolean open(MeterRegistry meters) {
		return meters.get("distributed.lock.circuit.open").gauge().value() > 0;
	}

	private static long attempts(MeterRegistry meters) {
		return meters.get("distributed.lock.store.call")
			.tag("lock.operation", "acquire")
			.timers()
			.stream()
			.mapToLong(Timer::count)
			.sum();
	}

	private static int lines(CapturedOutput output) {
		return (int) output.getOut()
			.lines()
			// Not the stack traces of pools and drivers.
			.filter((line) -> !line.startsWith("\tat ") && (line.contains("io.distributedlock")
					|| line.contains("i.distributedlock") || line.contains("i.d.")))
			.count();
	}

	/**
	 * Count lines about one store, as other tests may write at the same time.
	 */
	private static long count(CapturedOutput output, String address, String part) {
		return output.getOut().lines().filter((line) -> line.contains(address) && line.contains(part)).count();
	}

	private record Outage(long calls, Duration length) {
	}

	@Configuration(proxyBeanMethods = false)
	static class Load {

	}

}
