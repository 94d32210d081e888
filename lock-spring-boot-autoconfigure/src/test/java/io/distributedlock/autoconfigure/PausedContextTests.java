package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.engine.SystemLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for contexts that Spring pauses between test classes. It resumes them for the
 * next class that shares the context.
 */
class PausedContextTests {

	private static final LocalStore STORE = new LocalStore(new SystemLockClock());

	private final TestContext first = new TestContextManager(First.class).getTestContext();

	private final TestContext second = new TestContextManager(Second.class).getTestContext();

	@AfterEach
	void close() {
		this.first.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
		this.second.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
	}

	@Test
	void leaseThatATestClassLeavesBehindIsGivenBackAndTheContextLocksAgainForTheNext() {
		LockTemplate template = template(this.first);
		Lease lease = template.acquire("k");

		this.first.markApplicationContextUnused();
		Lease ofSecond = template(this.second).acquire("k");

		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.release()).isFalse();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire("k"))
			.withMessageContaining("stopped");
		assertThat(ofSecond.release()).isTrue();

		this.second.markApplicationContextUnused();

		assertThat(template(this.first)).as("the same context").isSameAs(template);
		assertThat(template.acquire("k").fencingToken()).isGreaterThan(ofSecond.fencingToken());
	}

	private static LockTemplate template(TestContext test) {
		return test.getApplicationContext().getBean(LockTemplate.class);
	}

	@ContextConfiguration(classes = Application.class)
	@TestPropertySource(properties = "lock.instance-id=first")
	static class First {

	}

	@ContextConfiguration(classes = Application.class)
	@TestPropertySource(properties = "lock.instance-id=second")
	static class Second {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Application {

		@Bean
		LocalLockBackend backend() {
			return new LocalLockBackend(STORE, "test", new SystemLockClock());
		}

	}

}
