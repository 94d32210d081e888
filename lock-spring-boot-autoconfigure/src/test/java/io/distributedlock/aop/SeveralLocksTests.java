package io.distributedlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.OnBusy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for methods with several annotations.
 */
class SeveralLocksTests {

	private final RecordingScopes scopes = new RecordingScopes();

	private final List<String> missed = new ArrayList<>();

	private final Transfers target = new Transfers();

	private final Transfers transfers = proxy();

	private Transfers proxy() {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerSingleton("scopes", this.scopes);
		MissedTickListener listener = (request) -> this.missed.add(request.getKeys().get(0));
		beanFactory.registerSingleton("listener", listener);
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new DistributedLockAdvisor(beanFactory));
		return (Transfers) factory.getProxy();
	}

	@Test
	void allOfThemAreTakenInTheOrderOfTheirKeys() {
		this.transfers.pay("b", 1);
		this.transfers.refund("b", 1);

		assertThat(this.scopes.log).containsExactly("open customer:1", "open order:b", "close order:b",
				"close customer:1", "open customer:1", "open order:b", "close order:b", "close customer:1");
		assertThat(this.target.keys).containsExactly("order:b", "customer:1", "order:b", "customer:1");
	}

	@Test
	void keysAreOrderedByCodePointsAsThoseOfOneLock() {
		// In UTF-16 the first one is smaller.
		this.transfers.pay("\uD83D\uDE00", "\uFF5E");
		this.transfers.pay("\uFF5E", "\uD83D\uDE00");

		assertThat(this.scopes.keys()).containsExactly("\uFF5E", "\uD83D\uDE00", "\uFF5E", "\uD83D\uDE00");
	}

	@Test
	void lockThatCoversAnotherIsTakenFirst() {
		this.transfers.covered();

		assertThat(this.scopes.requests).extracting((request) -> request.getKeys().size()).containsExactly(2, 1);
	}

	@Test
	void theBackendThatIsMeantWhereNoneIsNamedHasTheSamePlaceAsWhereItIs() {
		this.transfers.atTwoBackends();
		this.transfers.atTwoBackendsBothNamed();

		assertThat(this.scopes.keys()).containsExactly("elsewhere", "first", "elsewhere", "first");
	}

	@Test
	void oneThatIsBusyGivesTheOthersBackAndKeepsTheBodyFromRunning() {
		this.scopes.busyFor("order:b");

		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.transfers.pay("b", 1));

		assertThat(this.scopes.log).containsExactly("open customer:1", "open order:b", "close customer:1");
		assertThat(this.target.keys).isEmpty();
	}

	@Test
	void eachDoesWhatItSaysWhenBusy() {
		this.scopes.busyFor("second");

		assertThat(this.transfers.skipsTheSecond()).isNull();

		assertThat(this.scopes.log).containsExactly("open first", "try second", "close first");
		assertThat(this.target.keys).isEmpty();
	}

	@Test
	void aKeyThatIsNoneIsRefusedBeforeTheStoreIsAsked() {
		assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(() -> this.transfers.pay(" ", 1));

		assertThat(this.scopes.requests).isEmpty();
	}

	@Test
	void aSchedulersTickGoesToTheFirstAndNoneIsWaitedFor() {
		ScheduledRun.atTick(Instant.EPOCH).call(this.transfers::scheduled);

		assertThat(this.scopes.firstRequest("first").getTick()).isEqualTo(Instant.EPOCH);
		assertThat(this.scopes.firstRequest("second").getTick()).isNull();
		assertThat(this.scopes.requests).allMatch((request) -> Duration.ZERO.equals(request.getWaitTime()));
		assertThat(this.target.keys).containsExactly("second", "first");
		assertThat(this.missed).isEmpty();
	}

	@Test
	void aTickWhoseOtherLockIsBusyIsMissed() {
		this.scopes.busyFor("second");

		ScheduledRun.atTick(Instant.EPOCH).call(this.transfers::scheduled);

		assertThat(this.target.keys).isEmpty();
		assertThat(this.missed).containsExactly("first");
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "order")
	@interface OrderLocked {

		@AliasFor(annotation = DistributedLock.class)
		String[] key();

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "customer", key = "#customer")
	@interface CustomerLocked {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "first")
	@interface First {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "first", backend = RecordingScopes.DEFAULT_BACKEND)
	@interface FirstOfNamedBackend {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "#one")
	@interface OneLocked {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = "#other")
	@interface OtherLocked {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(key = { "'first'", "'second'" })
	@interface TwoLocked {

	}

	public static class Transfers {

		private final List<String> keys = new ArrayList<>();

		private void note(String inner, String outer) {
			this.keys.add(LockContext.current(inner).key());
			this.keys.add(LockContext.current(outer).key());
		}

		@OrderLocked(key = "#order")
		@CustomerLocked
		public void pay(String order, long customer) {
			note("order:" + order, "customer:" + customer);
		}

		@CustomerLocked
		@OrderLocked(key = "#p0")
		public void refund(String order, long customer) {
			note("order:" + order, "customer:" + customer);
		}

		@OneLocked
		@OtherLocked
		public void pay(String one, String other) {
		}

		@DistributedLock(key = "'first'")
		@TwoLocked
		public void covered() {
		}

		@First
		@DistributedLock(name = "second", onBusy = OnBusy.SKIP)
		public String skipsTheSecond() {
			note("second", "first");
			return "body";
		}

		@First
		@DistributedLock(name = "elsewhere", backend = "elsewhere")
		public void atTwoBackends() {
			note("first", "elsewhere");
		}

		@FirstOfNamedBackend
		@DistributedLock(name = "elsewhere", backend = "elsewhere")
		public void atTwoBackendsBothNamed() {
			note("first", "elsewhere");
		}

		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "second")
		@First
		public void scheduled() {
			note("second", "first");
		}

	}

}
