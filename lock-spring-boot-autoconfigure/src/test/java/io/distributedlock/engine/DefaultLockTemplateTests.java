package io.distributedlock.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DefaultLockTemplate}.
 */
class DefaultLockTemplateTests {

	private static final LockRequest REQUEST = LockRequest.of(EngineFixture.KEY).waitTime(Duration.ZERO);

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void bodyRunsUnderItsLeaseAndItsValueComesBack() {
		String value = this.fixture.template.execute(EngineFixture.KEY, (lease) -> {
			assertThat(LockContext.current()).isSameAs(lease);
			assertThat(this.fixture.inStore()).isPresent();
			return "done";
		});

		assertThat(value).isEqualTo("done");
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void bodyDoesNotRunWhenTheLockIsBusy() {
		this.fixture.other.acquire(REQUEST);

		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.fixture.template.execute(REQUEST, (lease) -> fail("ran")));
		assertThat(this.fixture.template.tryExecute(REQUEST, (lease) -> fail("ran"))).isEmpty();
		assertThat(this.fixture.template.tryExecuteWithoutResult(REQUEST, (lease) -> fail("ran"))).isFalse();
	}

	@Test
	void bodyDoesNotRunWhenTheStoreIsGoneAndThatIsNotBusy() {
		this.fixture.backend.cutOff();

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.fixture.template.tryExecute(REQUEST, (lease) -> fail("ran")));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.fixture.template.tryExecuteWithoutResult(REQUEST, (lease) -> fail("ran")));
	}

	@Test
	void checkedExceptionOfTheBodyComesThroughAndTheLockIsReleased() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.fixture.template.execute(REQUEST, (lease) -> {
				throw new IOException("disk full");
			}));

		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void lossBeforeTheEndOfTheBodyIsReported() {
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(
				() -> this.fixture.template.executeWithoutResult(REQUEST, (lease) -> this.fixture.forceRelease()));
	}

	@Test
	void exceptionOfTheBodyWinsAndCarriesTheLoss() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.fixture.template.executeWithoutResult(REQUEST, (lease) -> {
				this.fixture.forceRelease();
				throw new IllegalStateException("X");
			}))
			.withMessage("X")
			.satisfies(
					(ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LeaseLostException.class).hasSize(1));
	}

	@Test
	void storeThatIsGoneAtTheReleaseDoesNotChangeTheResult() {
		int value = this.fixture.template.execute(REQUEST, (lease) -> {
			this.fixture.backend.cutOff();
			return 42;
		});

		assertThat(value).isEqualTo(42);
	}

	@Test
	void bodyThatReturnsNullCanNotBeDistinguishedFromBusy() {
		assertThatIllegalStateException().isThrownBy(() -> this.fixture.template.tryExecute(REQUEST, (lease) -> null))
			.withMessageContaining("tryExecuteWithoutResult");
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void asynchronousBodyHoldsTheLockUntilItsStageCompletes() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.fixture.template.executeAsync(REQUEST, (lease) -> work)
			.toCompletableFuture();
		await().until(() -> work.getNumberOfDependents() > 0);
		assertThat(this.fixture.inStore()).isPresent();

		work.complete("done");

		assertThat(result.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo("done");
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void asynchronousBodyThatFailsReleasesTheLock() {
		CompletableFuture<Object> result = this.fixture.template
			.executeAsync(REQUEST, (lease) -> CompletableFuture.failedFuture(new IOException("disk full")))
			.toCompletableFuture()
			.orTimeout(10, TimeUnit.SECONDS);

		assertThatExceptionOfType(CompletionException.class).isThrownBy(result::join)
			.withCauseInstanceOf(IOException.class);
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void leaseLastsUntilTheWorkIsOverThoughItsResultWasCancelled() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.fixture.template.executeAsync(REQUEST, (lease) -> work)
			.toCompletableFuture();
		await().until(() -> work.getNumberOfDependents() > 0);

		result.cancel(true);

		assertThat(work).isNotDone();
		assertThat(this.fixture.other.tryAcquire(REQUEST)).isEmpty();
		work.complete("done");
		await().untilAsserted(() -> assertThat(this.fixture.inStore()).isEmpty());
	}

	@Test
	void leaseOfACancelledBodyIsNotRenewed() {
		CompletableFuture<String> work = new CompletableFuture<>();
		List<Lease> lost = new CopyOnWriteArrayList<>();
		CompletableFuture<String> result = this.fixture.template.executeAsync(REQUEST, (lease) -> {
			lease.onLost(lost::add);
			return work;
		}).toCompletableFuture();
		await().until(() -> work.getNumberOfDependents() > 0);

		result.cancel(true);
		this.fixture.advance(EngineSettings.DEFAULTS.ttl());

		assertThat(this.fixture.inStore()).isEmpty();
		await().untilAsserted(() -> assertThat(lost).hasSize(1));
	}

	@Test
	void workThatKnowsHowToStopIsAskedTo() {
		AtomicBoolean asked = new AtomicBoolean();
		CompletableFuture<String> work = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				asked.set(true);
				return false;
			}

		};
		CompletableFuture<String> result = this.fixture.template.executeAsync(REQUEST, (lease) -> work)
			.toCompletableFuture();
		await().until(() -> work.getNumberOfDependents() > 0);

		result.cancel(true);

		assertThat(asked).isTrue();
		assertThat(this.fixture.inStore()).isPresent();
		work.complete("stopped");
		await().untilAsserted(() -> assertThat(this.fixture.inStore()).isEmpty());
	}

	@Test
	void lossOfAnAsynchronousBodyIsReportedAfterIt() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.fixture.template.executeAsync(REQUEST, (lease) -> work)
			.toCompletableFuture();
		await().until(() -> work.getNumberOfDependents() > 0);
		this.fixture.forceRelease();

		work.complete("done");

		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> result.orTimeout(10, TimeUnit.SECONDS).join())
			.withCauseInstanceOf(LeaseLostException.class);
	}

}
