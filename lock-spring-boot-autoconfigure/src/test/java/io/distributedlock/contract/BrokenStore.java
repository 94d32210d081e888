package io.distributedlock.contract;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs tests of the contract on a store that violates it: a local store on a virtual
 * clock, with decorated clients and connections that can be cut.
 */
final class BrokenStore {

	// Read by the contract that the platform creates and runs on the thread of the test.
	private static final ThreadLocal<Decorator> DECORATOR = new ThreadLocal<>();

	private BrokenStore() {
	}

	/**
	 * Run tests of the contract.
	 * @param decorator how the clients are broken
	 * @param tests the names of the tests; all tests if empty
	 * @return the names of the tests that failed
	 */
	static List<String> failures(Decorator decorator, String... tests) {
		return List.copyOf(faults(decorator, tests).keySet());
	}

	/**
	 * Run tests of the contract.
	 * @param decorator how the clients are broken
	 * @param tests the names of the tests; all tests if empty
	 * @return the exceptions of the tests that failed, by their names
	 */
	static Map<String, Throwable> faults(Decorator decorator, String... tests) {
		DECORATOR.set(decorator);
		try {
			DiscoverySelector[] selectors = Stream.of(tests)
				.map((test) -> DiscoverySelectors.selectMethod(Contract.class, test))
				.toArray(DiscoverySelector[]::new);
			Events events = EngineTestKit.engine("junit-jupiter")
				.selectors((tests.length > 0) ? selectors
						: new DiscoverySelector[] { DiscoverySelectors.selectClass(Contract.class) })
				.execute()
				.testEvents();
			assertThat(events.succeeded().count() + events.failed().count()).as("how many tests ran, none skipped")
				.isEqualTo(events.started().count())
				.isGreaterThanOrEqualTo((tests.length > 0) ? tests.length : 100);
			Map<String, Throwable> faults = new LinkedHashMap<>();
			events.failed()
				.stream()
				.forEach((event) -> faults.put(event.getTestDescriptor().getDisplayName().replace("()", ""),
						event.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow()));
			return faults;
		}
		finally {
			DECORATOR.remove();
		}
	}

	/**
	 * Breaks a client.
	 */
	@FunctionalInterface
	interface Decorator {

		CutOffBackend decorate(LockBackend client, VirtualLockClock clock);

	}

	/**
	 * The contract on the broken store, which is run only by this class.
	 */
	static final class Contract extends LockBackendContract {

		private final Decorator decorator = DECORATOR.get();

		private final VirtualLockClock clock = new VirtualLockClock();

		private final LocalStore store = new LocalStore(this.clock);

		@Override
		protected boolean tellsOfWaiters() {
			return true;
		}

		@Override
		protected LockBackend newClient() {
			return this.decorator.decorate(new LocalLockBackend(this.store, "test", this.clock), this.clock);
		}

		@Override
		protected LockClock clock() {
			return this.clock;
		}

		@Override
		protected void elapse(Duration duration) {
			this.clock.advance(duration);
		}

		@Override
		protected void letExpire(LockBackend holder, Duration ttl) {
			elapse(ttl);
		}

		@Override
		protected boolean canCutOff() {
			return true;
		}

		@Override
		protected void cutOff(LockBackend client) {
			((CutOffBackend) client).setCutOff(true);
		}

		@Override
		protected boolean canLoseAnswers() {
			return true;
		}

		@Override
		protected void loseAnswers(LockBackend client) {
			((CutOffBackend) client).setLosesAnswers(true);
		}

		@Override
		protected void restore(LockBackend client) {
			((CutOffBackend) client).setCutOff(false);
			((CutOffBackend) client).setLosesAnswers(false);
		}

		@Override
		protected Duration lateness() {
			return Duration.ZERO;
		}

		@Override
		protected Duration raceDuration() {
			return Duration.ofMillis(200);
		}

	}

}
