package io.distributedlock.backend.session;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueContender}.
 */
class QueueContenderTests {

	private final TestContender contender = new TestContender(new VirtualLockClock());

	private final TestEntry entry = new TestEntry(OwnerId.random(), new ArrayList<>());

	private final AtomicInteger waits = new AtomicInteger();

	@Test
	void entryIsKeptAndWaitsUntilTheContenderLeaves() {
		assertThat(this.contender.keep(this.entry, this.waits::incrementAndGet)).isTrue();

		assertThat(this.waits).hasValue(1);
		assertThat(this.contender.kept()).isSameAs(this.entry);
		assertThat(this.contender.stopped).isEmpty();

		assertThat(this.contender.leave()).isSameAs(this.entry);

		assertThat(this.contender.kept()).isNull();
		assertThat(this.contender.stopped).containsExactly(this.entry);
		assertThat(this.contender.dropped).isEmpty();
		assertThat(this.contender.leave()).isNull();
	}

	@Test
	void withdrawalGivesTheEntryUpOnce() {
		this.contender.keep(this.entry, this.waits::incrementAndGet);

		this.contender.withdraw();
		this.contender.withdraw();

		assertThat(this.contender.kept()).isNull();
		assertThat(this.contender.stopped).containsExactly(this.entry);
		assertThat(this.contender.dropped).containsExactly(this.entry);
	}

	@Test
	void entryThatComesAfterTheWithdrawalIsNotKept() {
		this.contender.withdraw();

		assertThat(this.contender.keep(this.entry, this.waits::incrementAndGet)).isFalse();

		assertThat(this.waits).hasValue(0);
		assertThat(this.contender.kept()).isNull();
	}

	/**
	 * The withdrawal stops the wait before it has begun, so it has to be stopped again.
	 */
	@Test
	void waitThatBeginsDuringTheWithdrawalIsStopped() {
		assertThat(this.contender.keep(this.entry, () -> {
			this.contender.withdraw();
			this.waits.incrementAndGet();
			this.contender.stopped.clear();
		})).isTrue();

		assertThat(this.contender.kept()).isNull();
		assertThat(this.contender.stopped).containsExactly(this.entry);
		assertThat(this.contender.dropped).containsExactly(this.entry);
	}

}
