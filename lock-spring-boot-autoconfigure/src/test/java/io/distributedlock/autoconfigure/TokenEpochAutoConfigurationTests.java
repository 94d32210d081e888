package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@code lock.token-epoch} in applications.
 */
class TokenEpochAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
				"lock.backend=jdbc");

	@Test
	void tokensHaveTheEpoch() {
		this.runner.withPropertyValues("lock.token-epoch=3").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			Lease lease = template.acquire("order:42");

			assertThat(lease.fencingToken() >> 56).isEqualTo(3);
			assertThat(context.getBean(Locks.class).find("order:42").orElseThrow().fencingToken())
				.isEqualTo(lease.fencingToken());
			lease.verify();
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.release()).isTrue();
		});
	}

	@Test
	void tokensHaveNoEpochByDefault() {
		this.runner.run((context) -> {
			long token = context.getBean(LockTemplate.class).execute("order:42", Lease::fencingToken);
			assertThat(token >> 56).isZero();
		});
	}

	@Test
	void instanceWithAnEarlierEpochDoesNotStart() {
		this.runner.withPropertyValues("lock.token-epoch=2").run((context) -> assertThat(context).hasNotFailed());

		this.runner.withPropertyValues("lock.token-epoch=1").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription())
				.matches("The store 'jdbc' at jdbc:h2:mem:\\S+ can't keep the locks: It failed at"
						+ " taking a lock: 'lock.token-epoch' is 1 here, but the store 'jdbc' is at token epoch 2;"
						+ " instances with an earlier epoch get no locks there");
			assertThat(analysis.getAction()).isEqualTo("Set 'lock.token-epoch=2' for this instance too, or a greater"
					+ " epoch for all instances: the epoch of a store never goes down.");
		});
	}

	@Test
	void instanceThatStartsInAnyCaseIsRefusedItsLocks() {
		this.runner.withPropertyValues("lock.token-epoch=2").run((context) -> assertThat(context).hasNotFailed());

		this.runner.withPropertyValues("lock.token-epoch=1", "lock.fail-fast=false", "lock.wait-time=0s")
			.run((context) -> assertThatExceptionOfType(LockRefusedException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("order:42"))
				.withMessageEndingWith("'lock.token-epoch' is 1 here, but the store 'jdbc' is at token epoch 2;"
						+ " instances with an earlier epoch get no locks there"));
	}

	@Test
	void instanceThatRaisesTheEpochStartsAndWaits() {
		this.runner.run((context) -> assertThat(context).hasNotFailed());

		this.runner.withPropertyValues("lock.token-epoch=1", "lock.wait-time=0s")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).acquire("order:42"))
				.withMessageEndingWith("The store 'jdbc' is being raised to token epoch 1 ('lock.token-epoch'); until"
						+ " instances with an earlier epoch have noticed, it grants no locks"));
	}

	@Test
	void keyOfTheEpochIsTheLibrarysOwn() {
		this.runner.run((context) -> {
			assertThatExceptionOfType(InvalidLockRequestException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class)
					.acquire(LockRequest.of("lock-token-epoch").waitTime(Duration.ZERO)))
				.withMessage("'lock-token-epoch' can't be locked: stores keep their token epoch under this key");
			assertThat(context.getBean(Locks.class).list()).isEmpty();
		});
	}

	@Test
	void localStoreHasTheEpochWithoutAgreement() {
		this.runner.withPropertyValues("lock.backend=local", "lock.token-epoch=3").run((context) -> {
			LocalLocks others = context.getBean(LocalLocks.class);
			long token = context.getBean(LockTemplate.class).execute("order:42", Lease::fencingToken);
			try (LocalLocks.Hold hold = others.hold("order:42")) {
				assertThat(token >> 56).isEqualTo(3);
				assertThat(hold.fencingToken()).isGreaterThan(token);
				assertThat(others.takeAway("order:42")).isTrue();
				assertThat(hold.isHeld()).isFalse();
			}
		});
	}

}
