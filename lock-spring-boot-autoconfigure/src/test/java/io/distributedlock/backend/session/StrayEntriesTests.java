package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StrayEntries}, on a clock that only the test moves.
 */
class StrayEntriesTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final Set<String> owned = new TreeSet<>(Set.of("held", "waits", "stray"));

	private final Set<String> used = new TreeSet<>(Set.of("held", "waits"));

	private @Nullable String session = "session";

	@Test
	void strayEntryIsRemovedAtTheFirstLookIfOneIsExact() {
		TestStrays strays = new TestStrays(StrayEntries.Looks.ONE);

		assertThat(strays.sweep()).isCompletedWithValue(1);

		assertThat(this.owned).containsExactly("held", "waits");
	}

	@Test
	void strayEntryIsRemovedAtTheSecondLookIfTwoAreNeeded() {
		TestStrays strays = new TestStrays(StrayEntries.Looks.TWO);

		assertThat(strays.sweep()).isCompletedWithValue(0);
		assertThat(this.owned).contains("stray");

		assertThat(strays.sweep()).isCompletedWithValue(1);
		assertThat(this.owned).containsExactly("held", "waits");
	}

	@Test
	void entryThatIsUsedAtTheSecondLookStays() {
		TestStrays strays = new TestStrays(StrayEntries.Looks.TWO);
		strays.sweep();
		this.used.add("stray");

		assertThat(strays.sweep()).isCompletedWithValue(0);
		this.used.remove("stray");
		assertThat(strays.sweep()).isCompletedWithValue(0);

		assertThat(this.owned).contains("stray");
	}

	@Test
	void nothingIsListedWithoutASession() {
		TestStrays strays = new TestStrays(StrayEntries.Looks.ONE);
		this.session = null;

		assertThat(strays.sweep()).isCompletedWithValue(0);

		assertThat(strays.listings).isEmpty();
	}

	@Test
	void looksFollowEachOtherEachMinuteUntilTheEnd() {
		TestStrays strays = new TestStrays(StrayEntries.Looks.ONE);
		strays.answer = new CompletableFuture<>();
		strays.begin();
		assertThat(strays.listings).isEmpty();

		this.clock.advance(MINUTE.multipliedBy(3));
		assertThat(strays.listings).as("one look at a time").hasSize(1);

		strays.answer.complete(List.of("stray"));
		this.clock.advance(MINUTE);
		assertThat(strays.listings).hasSize(2);

		strays.end();
		this.clock.advance(MINUTE);
		assertThat(strays.listings).hasSize(2);
	}

	@Test
	void whatFailsIsTriedAgainAtTheNextTurn() {
		TestStrays strays = new TestStrays(StrayEntries.Looks.ONE);
		strays.answer = CompletableFuture.failedFuture(new IllegalStateException("no answer"));
		strays.begin();

		this.clock.advance(MINUTE);
		assertThat(this.owned).contains("stray");

		strays.answer = null;
		this.clock.advance(MINUTE);
		assertThat(this.owned).doesNotContain("stray");
	}

	/**
	 * The entries of the test.
	 */
	private final class TestStrays extends StrayEntries<String, String> {

		private final List<String> listings = new ArrayList<>();

		private @Nullable CompletableFuture<List<String>> answer;

		TestStrays(Looks looks) {
			super(() -> StrayEntriesTests.this.session, looks, StrayEntriesTests.this.clock);
		}

		@Override
		protected CompletionStage<List<String>> list(String of) {
			this.listings.add(of);
			return (this.answer != null) ? this.answer
					: CompletableFuture.completedFuture(List.copyOf(StrayEntriesTests.this.owned));
		}

		@Override
		protected boolean isStray(String of, String name) {
			return !StrayEntriesTests.this.used.contains(name);
		}

		@Override
		protected CompletionStage<?> delete(String of, List<String> names) {
			names.forEach(StrayEntriesTests.this.owned::remove);
			return CompletableFuture.completedFuture(null);
		}

	}

}
