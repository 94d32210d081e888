package io.distributedlock.aop;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnBusy;
import io.distributedlock.OnLost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DistributedLockInterceptor}.
 */
class DistributedLockInterceptorTests {

	private final RecordingScopes scopes = new RecordingScopes();

	private final Service target = new Service();

	private final Service service = proxy(this.target);

	private Service proxy(Service target) {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerSingleton("scopes", this.scopes);
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new DistributedLockAdvisor(beanFactory));
		return (Service) factory.getProxy();
	}

	@Test
	void runsTheBodyInsideTheScope() {
		assertThat(this.service.greet("x")).isEqualTo("hello x");

		assertThat(this.scopes.log).containsExactly("open greet:x", "close greet:x");
		assertThat(this.target.bodies).isEqualTo(1);
	}

	@Test
	void asksForWhatTheAnnotationSays() {
		this.service.everything(7);

		assertThat(this.scopes.onlyRequest()).satisfies((request) -> {
			assertThat(request.getKeys()).containsExactly("everything:7");
			assertThat(request.getName()).isEqualTo("everything");
			assertThat(request.getTtl()).isEqualTo(Duration.ofSeconds(30));
			assertThat(request.getWaitTime()).isEqualTo(Duration.ofSeconds(2));
			assertThat(request.getMinHold()).isEqualTo(Duration.ofSeconds(1));
			assertThat(request.getMaxHold()).isEqualTo(Duration.ofMinutes(1));
			assertThat(request.isFenced()).isTrue();
			assertThat(request.isRenewed()).isTrue();
			assertThat(request.getBackend()).isEqualTo("other");
			assertThat(request.getTick()).isNull();
		});
	}

	@Test
	void leavesWhatTheAnnotationDoesNotSayToTheDefaults() {
		this.service.optional();

		assertThat(this.scopes.onlyRequest()).satisfies((request) -> {
			assertThat(request.getName()).isEqualTo("Service.optional");
			assertThat(request.getTtl()).isNull();
			assertThat(request.getWaitTime()).isNull();
			assertThat(request.getMinHold()).isNull();
			assertThat(request.getMaxHold()).isNull();
			assertThat(request.getBackend()).isNull();
		});
	}

	@Test
	void withoutRenewalTheRequestSaysSo() {
		this.service.withoutRenewal();

		assertThat(this.scopes.onlyRequest().isRenewed()).isFalse();
	}

	@Test
	void aBusyLockThrowsAndTheBodyDoesNotRun() {
		this.scopes.busy();

		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.service.greet("x"));

		assertThat(this.target.bodies).isZero();
		assertThat(this.scopes.onlyRequest().getWaitTime()).isNull();
	}

	@Test
	void aSkippedCallReturnsTheEmptyValueOfItsType() {
		this.scopes.busy();

		this.service.nothing();
		assertThat(this.service.optional()).isEmpty();
		assertThat(this.service.optionalInt()).isEmpty();
		assertThat(this.service.optionalLong()).isEmpty();
		assertThat(this.service.optionalDouble()).isEmpty();
		assertThat(this.service.list()).isNull();
		assertThat(this.service.boxed()).isNull();

		assertThat(this.target.bodies).isZero();
		assertThat(this.scopes.log).hasSize(7).allMatch((entry) -> entry.startsWith("try "));
	}

	@Test
	void aSkippingCallThatGetsTheLockRuns() {
		assertThat(this.service.optional()).contains("value");
		assertThat(this.scopes.log).hasSize(2).first().asString().startsWith("try ");
	}

	@Test
	void aFaultOfTheStoreIsNeitherBusyNorLeadsToTheBodyOrAFallback() {
		this.scopes.failWith(new LockUnavailableException("down"));

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.service.greet("x"));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.service.optional());
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.service.withFallback(1));

		assertThat(this.target.bodies).isZero();
		assertThat(this.target.fallbacks).isZero();
	}

	@Test
	void anInterruptedWaitDoesNotLeadToTheBody() {
		this.scopes.failWith(new LockInterruptedException("interrupted"));

		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.service.greet("x"));
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.service.withFallback(1));

		assertThat(this.target.bodies).isZero();
		assertThat(this.target.fallbacks).isZero();
	}

	@Test
	void aKeyThatIsNoneReachesNeitherTheStoreNorTheBody() {
		for (String id : new String[] { null, "", "   " }) {
			assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.service.greet(id));
		}

		assertThat(this.scopes.requests).isEmpty();
		assertThat(this.target.bodies).isZero();
	}

	@Test
	void theFallbackGetsTheArgumentsAndTheException() {
		this.scopes.busy();

		assertThat(this.service.withFallback(3)).isEqualTo("fallback 3 busy");
		assertThat(this.target.bodies).isZero();
	}

	@Test
	void theFallbackMayDoWithoutTheException() {
		this.scopes.busy();

		assertThat(this.service.withPlainFallback(4)).isEqualTo("plain 4");
	}

	@Test
	void theFallbacksExceptionComesOutAsItIs() {
		this.scopes.busy();

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.service.withFailingFallback())
			.withMessage("fallback");
	}

	@Test
	void aBusyLockInsideOfTheBodyIsNotTheBodysOwn() {
		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.service.busyInside())
			.withMessage("another lock");

		assertThat(this.target.fallbacks).isZero();
		assertThat(this.scopes.log).hasSize(2);
	}

	@Test
	void aLossFollowsTheBody() {
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.service.loses());

		assertThat(this.target.bodies).isEqualTo(1);
	}

	@Test
	void theBodysExceptionWinsOverTheLoss() {
		assertThatIllegalStateException().isThrownBy(() -> this.service.losesAndFails())
			.withMessage("body")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LeaseLostException.class));
	}

	@Test
	void theBodysExceptionWinsOverAFailingRelease() {
		RuntimeException fault = new LockUnavailableException("release");
		this.scopes.failReleaseWith(fault);

		assertThatIllegalStateException().isThrownBy(() -> this.service.losesAndFails())
			.satisfies((ex) -> assertThat(ex.getSuppressed()).containsExactly(fault));
	}

	@Test
	void anIgnoredLossIsNotReportedAndNotChecked() {
		assertThat(this.service.losesAndIgnores()).isEqualTo("done");

		assertThat(this.scopes.log).anyMatch((entry) -> entry.startsWith("ignore loss "));
		assertThat(this.scopes.log).last().asString().startsWith("close ");
	}

	@Test
	void anInterruptEndsTheBodyAndDoesNotLeak() {
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.service.losesAndIsInterrupted());

		assertThat(this.target.interrupted).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void nestedMethodsLeaveTheirScopesInsideOut() {
		this.target.other = this.service;

		assertThatIllegalStateException().isThrownBy(() -> this.service.outer());

		assertThat(this.scopes.log).containsExactly("open outer", "open inner", "open outer", "close outer",
				"close inner", "close outer");
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void aFailingInnerAcquisitionLeavesTheOuterScopeOnly() {
		this.target.other = this.service;
		this.target.beforeInner = this.scopes::busy;

		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.service.outer());

		assertThat(this.scopes.log).containsExactly("open outer", "open inner", "close outer");
	}

	@Test
	void aCallThroughThisIsNotLockedAndTheBodyCanSeeIt() {
		assertThatIllegalStateException().isThrownBy(() -> this.service.callsThroughThis())
			.withMessageContaining("called through 'this'");
		this.service.assertsHeld();

		assertThat(this.scopes.log).hasSize(2);
	}

	@Test
	void withoutScopesNoBodyRuns() {
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new DistributedLockAdvisor(new DefaultListableBeanFactory()));
		Service unserved = (Service) factory.getProxy();

		assertThatExceptionOfType(NoSuchBeanDefinitionException.class).isThrownBy(() -> unserved.greet("x"));
		assertThat(this.target.bodies).isZero();
	}

	public static class Service {

		private int bodies;

		private int fallbacks;

		private boolean interrupted;

		private @Nullable Service other;

		private Runnable beforeInner = () -> {
		};

		@DistributedLock(name = "greet", key = "#id")
		public String greet(String id) {
			this.bodies++;
			LockContext.assertHeld("greet:" + id);
			return "hello " + id;
		}

		@DistributedLock(name = "everything", key = "#id", ttl = "30s", waitTime = "2s", minHold = "1s", maxHold = "1m",
				fenced = true, backend = "other")
		public void everything(long id) {
		}

		@DistributedLock(renew = false)
		public void withoutRenewal() {
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		public void nothing() {
			this.bodies++;
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		public Optional<String> optional() {
			this.bodies++;
			return Optional.of("value");
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		public OptionalInt optionalInt() {
			this.bodies++;
			return OptionalInt.of(1);
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		public OptionalLong optionalLong() {
			this.bodies++;
			return OptionalLong.of(1);
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		public OptionalDouble optionalDouble() {
			this.bodies++;
			return OptionalDouble.of(1);
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		public List<String> list() {
			this.bodies++;
			return List.of();
		}

		@DistributedLock(onBusy = OnBusy.SKIP)
		public Integer boxed() {
			this.bodies++;
			return 1;
		}

		@DistributedLock(key = "#id", fallback = "instead")
		public String withFallback(int id) {
			this.bodies++;
			return "body";
		}

		private String instead(int id, LockBusyException ex) {
			this.fallbacks++;
			return "fallback " + id + " " + ex.getMessage();
		}

		@DistributedLock(key = "#id", fallback = "plainly")
		public Object withPlainFallback(int id) {
			return "body";
		}

		private static String plainly(int id) {
			return "plain " + id;
		}

		@DistributedLock(fallback = "failing")
		public void withFailingFallback() throws IOException {
		}

		protected void failing() throws IOException {
			throw new IOException("fallback");
		}

		@DistributedLock(fallback = "countsFallback")
		public void busyInside() {
			throw new LockBusyException("other", "another lock", null);
		}

		private void countsFallback() {
			this.fallbacks++;
		}

		@DistributedLock
		public void loses() {
			this.bodies++;
			RecordingScopes.loseCurrentLease();
		}

		@DistributedLock
		public void losesAndFails() {
			RecordingScopes.loseCurrentLease();
			throw new IllegalStateException("body");
		}

		@DistributedLock(onLost = OnLost.IGNORE)
		public String losesAndIgnores() {
			RecordingScopes.loseCurrentLease();
			return "done";
		}

		@DistributedLock(onLost = OnLost.INTERRUPT)
		public void losesAndIsInterrupted() {
			RecordingScopes.loseCurrentLease();
			this.interrupted = Thread.currentThread().isInterrupted();
		}

		@DistributedLock(name = "outer")
		public void outer() {
			this.beforeInner.run();
			if (this.other != null) {
				this.other.inner();
			}
		}

		@DistributedLock(name = "inner")
		public void inner() {
			Service again = this.other;
			this.other = null;
			if (again != null) {
				again.outer();
			}
			throw new IllegalStateException("inner");
		}

		public void callsThroughThis() {
			assertsHeld();
		}

		@DistributedLock
		public void assertsHeld() {
			LockContext.assertHeld();
		}

	}

}
