package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockContext;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for annotated methods in an application.
 */
class LockedMethodAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local");

	@Test
	void annotatedMethodRunsUnderItsLock() {
		this.runner.withBean(Orders.class)
			.run((context) -> assertThat(context.getBean(Orders.class).ship(42)).isEqualTo("order:42"));
	}

	@Test
	void annotatedMethodRunsUnderItsLockWithoutAspectj() {
		this.runner.withClassLoader(new FilteredClassLoader("org.aspectj"))
			.withBean(Orders.class)
			.run((context) -> assertThat(context.getBean(Orders.class).ship(42)).isEqualTo("order:42"));
	}

	@Test
	void annotatedMethodRunsUnderItsLockWhereAopIsSwitchedOff() {
		this.runner.withPropertyValues("spring.aop.auto=false")
			.withBean(Orders.class)
			.run((context) -> assertThat(context.getBean(Orders.class).ship(42)).isEqualTo("order:42"));
	}

	@Test
	void beansWithoutAnnotatedMethodsAreLeftAlone() {
		this.runner.withBean(Plain.class)
			.run((context) -> assertThat(AopUtils.isAopProxy(context.getBean(Plain.class))).isFalse());
	}

	@Test
	void annotationThatCanNotBeMeantEndsTheStartWithWhatToWrite() {
		this.runner.withBean("broken", Broken.class)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.startsWith("@DistributedLock on ")
				.contains("Broken.run")
				.contains("(bean 'broken'), ttl: "));
	}

	@Test
	void annotationThatNamesAnotherBackendEndsTheStartWithThoseThereAre() {
		this.runner.withBean("elsewhere", Elsewhere.class)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.endsWith("(bean 'elsewhere'), backend: 'mars' is not set up; there are [local]"));
	}

	@Test
	void fencedAnnotationOnABackendWithoutTokensEndsTheStart() {
		this.runner.withPropertyValues("lock.backend=tokenless")
			.withBean("tokenless", LockBackend.class, Tokenless::new)
			.withBean("fenced", Fenced.class)
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.contains("(bean 'fenced'), fenced: the backend 'tokenless' gives no fencing tokens"));
	}

	// Public, because the proxies of a filtering class loader can't access other classes.
	public static class Orders {

		@DistributedLock(name = "order", key = "#id")
		public String ship(long id) {
			return LockContext.current().key();
		}

	}

	static class Plain {

		void run() {
		}

	}

	static class Broken {

		@DistributedLock(name = "broken", ttl = "ten")
		void run() {
		}

	}

	static class Elsewhere {

		@DistributedLock(name = "elsewhere", backend = "mars")
		void run() {
		}

	}

	static class Fenced {

		@DistributedLock(name = "fenced", fenced = true)
		void run() {
		}

	}

	/**
	 * A backend of the application without fencing tokens.
	 */
	static class Tokenless extends CutOffBackend {

		Tokenless() {
			super(new LocalLockBackend(new LocalStore(new VirtualLockClock()), "test", new VirtualLockClock()));
		}

		@Override
		public BackendTraits traits() {
			return new BackendTraits(BackendTraits.LeaseKind.PER_LOCK, false, false, 0, false, Duration.ofMillis(1),
					null, 10);
		}

	}

}
