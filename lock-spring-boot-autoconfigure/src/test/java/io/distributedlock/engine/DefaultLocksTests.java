package io.distributedlock.engine;

import java.util.Iterator;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DefaultLocks}, on a store whose pages have two locks.
 */
class DefaultLocksTests {

	private final EngineFixture fixture = new EngineFixture();

	private final DefaultLocks locks = new DefaultLocks(this.fixture.engine);

	@BeforeEach
	void hold() {
		this.fixture.backend.pageSize = 2;
		Stream.of("a", "b", "c", "d", "e").forEach(this.fixture.template::acquire);
	}

	@Test
	void allPagesAreListed() {
		assertThat(this.locks.list()).extracting(LockInfo::key).containsExactly("a", "b", "c", "d", "e");
		assertThat(this.fixture.backend.pages).hasValue(3);
	}

	@Test
	void noPageIsReadThatIsNotNeeded() {
		assertThat(this.locks.list().limit(2)).hasSize(2);
		assertThat(this.locks.list().findFirst()).isPresent();

		assertThat(this.fixture.backend.pages).hasValue(2);
	}

	@Test
	void storeThatCannotBeAskedIsReportedAtOnce() {
		this.fixture.backend.cutOff();

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(this.locks::list)
			.withMessageContaining("connection refused");
	}

	@Test
	void storeThatFailsBetweenTwoPagesIsReportedToTheReader() {
		Iterator<LockInfo> reader = this.locks.list().iterator();
		reader.next();
		this.fixture.backend.cutOff();

		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> reader.forEachRemaining((lock) -> {
		})).withMessageContaining("connection refused");
	}

}
