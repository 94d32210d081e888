package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for shared leases and permits inside a JVM.
 */
class SharedLeaseTests {

	private static final LockRequest WRITER = LockRequest.of(EngineFixture.KEY).waitTime(Duration.ofMinutes(5));

	private static final LockRequest READER = WRITER.shared();

	private static final LockRequest TWO = WRITER.permits(2);

	private EngineFixture fixture = new EngineFixture();

	@Test
	void readersOfAJvmShareAGrantOfTheStore() {
		List<Lease> readers = readers(5);

		assertThat(readers).allMatch(Lease::isHeld);
		assertThat(readers).extracting(Lease::fencingToken).isSorted().doesNotHaveDuplicates();
		assertThat(this.fixture.backend.attempts).hasValue(1);
		readers.subList(0, 4).forEach((reader) -> assertThat(reader.release()).isTrue());
		assertThat(this.fixture.backend.releases).hasValue(0);
		assertThat(readers.get(4).release()).isTrue();
		assertThat(this.fixture.backend.releases).hasValue(1);
		assertThat(this.fixture.inStore()).isEmpty();
		assertThat(this.fixture.engine.isIdle()).isTrue();
	}

	@Test
	void tokensOfLaterWritersAreGreaterThanThoseOfAllReaders() {
		List<Lease> readers = readers(5);
		readers.forEach(Lease::release);

		Lease writer = this.fixture.other.acquire(WRITER);

		assertThat(readers).extracting(Lease::fencingToken).allMatch((token) -> token < writer.fencingToken());
	}

	@Test
	void readerJoinsOnlyWhileTheStoreHasConfirmedTheGrantLately() {
		Lease first = readers(5).get(0);
		int attempts = this.fixture.backend.attempts.get();
		this.fixture.advance(Duration.ofSeconds(1));

		Lease later = this.fixture.template.acquire(READER);

		assertThat(this.fixture.backend.attempts).hasValue(attempts + 1);
		assertThat(first.isHeld()).isTrue();
		assertThat(later.isHeld()).isTrue();
		assertThat(later.fencingToken()).isGreaterThan(first.fencingToken());
	}

	@Test
	void writerOfTheSameJvmIsNotOvertakenByReaders() {
		Lease reader = this.fixture.template.acquire(READER);
		CompletableFuture<Lease> writer = acquire(WRITER);
		CompletableFuture<Lease> second = acquire(READER);
		CompletableFuture<Lease> third = acquire(READER);

		assertThat(writer).isNotDone();
		reader.release();
		Lease granted = granted(writer);
		assertThat(second).isNotDone();
		granted.release();

		assertThat(granted(second).isHeld()).isTrue();
		assertThat(granted(third).isHeld()).isTrue();
	}

	@Test
	void waitingWriterAsksTheStoreWhileReadersOfItsJvmGoOn() {
		this.fixture.template.acquire(READER);
		int attempts = this.fixture.backend.attempts.get();

		CompletableFuture<Lease> writer = acquire(WRITER);

		assertThat(this.fixture.backend.attempts).hasValue(attempts + 1);
		assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> this.fixture.other.acquire(READER.waitTime(Duration.ZERO)));
		assertThat(writer).isNotDone();
	}

	@Test
	void singleAttemptOfAWriterEndsWithoutTheStoreWhileAReaderOfItsJvmHolds() {
		this.fixture.template.acquire(READER);
		int attempts = this.fixture.backend.attempts.get();

		assertThat(this.fixture.template.tryAcquire(WRITER.waitTime(Duration.ZERO))).isEmpty();
		assertThat(this.fixture.template.tryAcquire(TWO.waitTime(Duration.ZERO))).isEmpty();

		assertThat(this.fixture.backend.attempts).hasValue(attempts);
		assertThat(this.fixture.template.tryAcquire(READER.waitTime(Duration.ZERO))).isPresent();
	}

	@Test
	void readerThatReachesItsMaximumHoldLeavesTheOthersAlone() {
		Lease bounded = this.fixture.template.acquire(READER.maxHold(Duration.ofSeconds(40)));
		Lease unbounded = granted(acquire(READER));
		this.fixture.advance(Duration.ofSeconds(41));

		assertThat(bounded.isHeld()).isFalse();
		assertThat(unbounded.isHeld()).isTrue();
		assertThat(this.fixture.inStore()).isPresent();
		assertThat(unbounded.release()).isTrue();
		assertThat(this.fixture.inStore()).isEmpty();
	}

	@Test
	void minimumHoldOfAReaderThatLeftEarlierCountsAtTheEnd() {
		List<Lease> readers = readers(3);
		Lease patient = granted(acquire(READER.minHold(Duration.ofSeconds(10))));
		patient.release();
		readers.forEach(Lease::release);

		assertThat(this.fixture.other.tryAcquire(WRITER.waitTime(Duration.ZERO))).isEmpty();
		this.fixture.advance(Duration.ofSeconds(10));
		assertThat(this.fixture.other.tryAcquire(WRITER.waitTime(Duration.ZERO))).isPresent();
	}

	@Test
	void allReadersOfAJvmLoseAGrantThatIsTakenAway() {
		List<Lease> readers = readers(3);
		List<Lease> told = new ArrayList<>();
		readers.forEach((reader) -> reader.onLost(told::add));

		assertThat(new DefaultLocks(this.fixture.engine).forceRelease(EngineFixture.KEY)).isTrue();

		assertThat(readers).noneMatch(Lease::isHeld);
		assertThat(this.fixture.news()).contains("lost " + LossReason.TAKEN);
		assertThat(readers).allSatisfy((reader) -> assertThat(reader.release()).isFalse());
	}

	@Test
	void lossThatOneReaderFindsEndsAllThatShareItsGrant() {
		List<Lease> readers = readers(3);
		this.fixture.backend.takeLatestGrant();

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(readers.get(1)::verify);

		assertThat(readers).noneMatch(Lease::isHeld);
		int attempts = this.fixture.backend.attempts.get();
		assertThat(this.fixture.template.acquire(READER).isHeld()).isTrue();
		assertThat(this.fixture.backend.attempts).hasValue(attempts + 1);
	}

	@Test
	void lossThatTheReleaseOfTheLastReaderFindsIsItsOwn() {
		List<Lease> readers = readers(2);
		this.fixture.backend.takeLatestGrant();

		assertThat(readers.get(0).release()).isTrue();
		assertThat(readers.get(1).release()).isFalse();

		assertThat(this.fixture.news()).containsExactly("acquired", "handedOver", "released",
				"lost " + LossReason.TAKEN);
	}

	@Test
	void readersAreNotifiedOfAWaitingWriterAndThenAdmitNoOthers() {
		Lease reader = readers(5).get(0);
		CompletableFuture<Lease> writer = this.fixture.other.acquireAsync(WRITER).toCompletableFuture();

		reader.verify();
		this.fixture.backend.tellWanted(Duration.ZERO);

		assertThat(this.fixture.template.tryAcquire(READER.waitTime(Duration.ZERO))).isEmpty();
		assertThat(writer).isNotDone();
	}

	@Test
	void readersThatShareAGrantHaveOneRenewal() {
		List<Lease> readers = readers(4);
		this.fixture.advance(Duration.ofSeconds(1));
		this.fixture.backend.renewedGrants.set(0);

		this.fixture.advance(Duration.ofSeconds(44));

		assertThat(readers).allMatch(Lease::isHeld);
		assertThat(this.fixture.backend.renewedGrants).hasValue(4);
	}

	@Test
	void stopEndsAllReadersAndTheirGrant() {
		List<Lease> readers = readers(4);

		this.fixture.engine.stop();

		assertThat(readers).noneMatch(Lease::isHeld);
		assertThat(this.fixture.inStore()).isEmpty();
		assertThat(this.fixture.backend.releases).hasValue(1);
	}

	@Test
	void permitsAreCountedOverAllJvms() {
		Lease here = this.fixture.template.acquire(TWO);
		Lease there = this.fixture.other.acquire(TWO);

		assertThat(this.fixture.template.tryAcquire(TWO.waitTime(Duration.ZERO))).isEmpty();
		CompletableFuture<Lease> third = acquire(TWO);
		assertThat(third).isNotDone();
		there.release();

		assertThat(granted(third).isHeld()).isTrue();
		assertThat(here.isHeld()).isTrue();
	}

	@Test
	void permitsThatAreUsedUpInAJvmEndASingleAttemptWithoutTheStore() {
		this.fixture.template.acquire(TWO);
		Lease second = this.fixture.template.acquire(TWO);
		int attempts = this.fixture.backend.attempts.get();

		assertThat(this.fixture.template.tryAcquire(TWO.waitTime(Duration.ZERO))).isEmpty();

		assertThat(this.fixture.backend.attempts).hasValue(attempts);
		assertThat(this.fixture.template.tryAcquire(WRITER.permits(3).waitTime(Duration.ZERO))).isPresent();
		second.release();
	}

	@Test
	void permitsAreNotHandedOver() {
		Lease first = this.fixture.template.acquire(TWO);
		this.fixture.template.acquire(TWO);
		CompletableFuture<Lease> third = acquire(TWO);
		int attempts = this.fixture.backend.attempts.get();

		first.release();

		assertThat(granted(third).fencingToken()).isGreaterThan(first.fencingToken());
		assertThat(this.fixture.backend.attempts).hasValue(attempts + 1);
		assertThat(this.fixture.backend.requests).allMatch((request) -> request.span() == 1);
	}

	@ParameterizedTest
	@MethodSource("groupsWhoseMembersAskTheStore")
	void anyNumberOfWaitersIsServedByOneRelease(LockRequest member) {
		Lease writer = this.fixture.template.acquire(WRITER);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < 5_000; i++) {
			waiting.add(acquire(member));
		}

		writer.release();

		assertThat(waiting).allSatisfy((each) -> assertThat(granted(each).isHeld()).isTrue());
	}

	static List<LockRequest> groupsWhoseMembersAskTheStore() {
		return List.of(WRITER.permits(10_000), READER.withoutRenewal());
	}

	@Test
	void nestedCallsKeepTheModeOfTheirScope() {
		for (LockRequest outer : List.of(WRITER, READER, TWO)) {
			this.fixture.template.executeWithoutResult(outer, (lease) -> {
				for (LockRequest inner : List.of(WRITER, READER, TWO)) {
					if (inner.getMode() == outer.getMode()) {
						assertThat(this.fixture.template.<Lease, RuntimeException>execute(inner, (own) -> own))
							.isSameAs(lease);
					}
					else {
						assertThatExceptionOfType(InvalidLockRequestException.class)
							.isThrownBy(() -> this.fixture.template.execute(inner, (own) -> own))
							.withMessageContaining(EngineFixture.KEY)
							.withMessageContaining(outer.getMode().name())
							.withMessageContaining(inner.getMode().name());
					}
				}
			});
		}
	}

	@Test
	void groupsAreShownWithTheirModes() {
		readers(2);

		assertThat(this.fixture.engine.monitor().held()).hasSize(2).allMatch((held) -> held.mode() == LockMode.SHARED);
		assertThat(this.fixture.inStore())
			.hasValueSatisfying((lock) -> assertThat(lock.mode()).isEqualTo(LockMode.SHARED));
	}

	/**
	 * Return readers with one grant, which has a token for each.
	 */
	private List<Lease> readers(int count) {
		Lease blocking = this.fixture.other.acquire(WRITER);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			waiting.add(acquire(READER));
		}
		this.fixture.backend.attempts.set(0);
		blocking.release();
		return waiting.stream().map(SharedLeaseTests::granted).toList();
	}

	private CompletableFuture<Lease> acquire(LockRequest request) {
		return this.fixture.template.acquireAsync(request).toCompletableFuture();
	}

	private static Lease granted(CompletableFuture<Lease> waiting) {
		return waiting.orTimeout(10, TimeUnit.SECONDS).join();
	}

}
