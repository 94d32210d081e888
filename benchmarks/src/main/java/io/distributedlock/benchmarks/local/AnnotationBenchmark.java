package io.distributedlock.benchmarks.local;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.contest.SubjectSide;

/**
 * Calls a method without a lock, with one by {@link LockTemplate}, with and without
 * meters, and with one by annotation.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AnnotationBenchmark {

	private final AccountService plain = new AccountService();

	private final SubjectSide side = SubjectSide.start("lock.backend=local");

	private final LockTemplate template = this.side.template();

	private final SubjectSide observedSide = SubjectSide.observed("lock.backend=local");

	private final LockTemplate observed = this.observedSide.template();

	private final AccountService proxy = (AccountService) this.side.application()
		.getAutowireCapableBeanFactory()
		.initializeBean(new AccountService(), "accountService");

	@TearDown
	public void stop() {
		this.side.close();
		this.observedSide.close();
	}

	@Benchmark
	public long plain() {
		return this.plain.touch("key");
	}

	@Benchmark
	public void template() {
		this.template.executeWithoutResult(LockRequest.of("key"), (lease) -> this.plain.touch("key"));
	}

	@Benchmark
	public void observed() {
		this.observed.executeWithoutResult(LockRequest.of("key").name("account"), (lease) -> this.plain.touch("key"));
	}

	@Benchmark
	public long annotated() {
		return this.proxy.touchLocked("key");
	}

	/**
	 * A bean with a method that does as good as nothing.
	 */
	public static class AccountService {

		private long touched;

		long touch(String id) {
			this.touched += id.length();
			return this.touched;
		}

		/**
		 * Do the same under a lock.
		 * @param id the key
		 * @return any number
		 */
		@DistributedLock(key = "#id")
		public long touchLocked(String id) {
			return touch(id);
		}

	}

}
