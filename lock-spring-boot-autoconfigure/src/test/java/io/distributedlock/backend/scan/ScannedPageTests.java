package io.distributedlock.backend.scan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockPage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link ScannedPage}, on servers that choose the size of each step themselves.
 */
class ScannedPageTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final Servers servers = new Servers();

	@Test
	void serversWithoutKeysHaveOneEmptyPage() {
		this.servers.server();
		this.servers.server();

		assertThat(page(null, 10)).isEqualTo(new LockPage(List.of(), null));
	}

	@Test
	void keysThatDoNotFitAreOnTheNextPage() {
		this.servers.server(List.of("a", "b", "c"), List.of("d"));
		this.servers.server(List.of("e"));

		assertThat(pages(1)).containsExactly(List.of("a"), List.of("b"), List.of("c"), List.of("d"), List.of("e"),
				List.of());
		assertThat(pages(2)).containsExactly(List.of("a", "b"), List.of("c", "d"), List.of("e"));
		assertThat(this.servers.steps).as("no step is made twice").isEqualTo(2 * 3);
	}

	@Test
	void keysThatAreNoLocksTakeNoRoom() {
		this.servers.server(List.of("free:1", "a", "free:2"), List.of("free:3"), List.of("b"));

		assertThat(pages(2)).containsExactly(List.of("a", "b"), List.of());
	}

	@Test
	void keyThatAServerReturnsTwiceIsOnAPageOnce() {
		this.servers.server(List.of("a", "b", "a"), List.of("b", "c"));

		assertThat(pages(10)).containsExactly(List.of("a", "b", "c"));
	}

	@Test
	void allHoldersOfAKeyAreOnOnePageAndTakeTheRoomOfOne() {
		this.servers.server(List.of("group", "a", "b"), List.of("group"));

		assertThat(pages(2)).containsExactly(List.of("group", "group", "a"), List.of("b", "group", "group"), List.of());
	}

	@Test
	void keysOfAnyCharactersComeBack() {
		List<String> keys = List.of("a", "~", ".", " ", "0.~", "käse/🧀", "\n");
		this.servers.server(keys);

		assertThat(pages(1).stream().flatMap(List::stream)).containsExactlyElementsOf(keys);
	}

	@Test
	void placeNeedsNoEscapingInAnAddress() {
		this.servers.server(List.of("a", "käse/🧀?&=#%", " "));

		assertThat(page(null, 1).next()).matches("[A-Za-z0-9._~-]+");
	}

	@Test
	void pageEndsWhenItsTimeIsOver() {
		this.servers.server(List.of(), List.of(), List.of("a"));
		this.servers.stepTime = Duration.ofSeconds(1);

		LockPage first = page(null, 10, Duration.ofSeconds(2));

		assertThat(first.locks()).isEmpty();
		assertThat(this.servers.steps).isEqualTo(2);
		assertThat(page(first.next(), 10, Duration.ofSeconds(2)).locks()).extracting(LockInfo::key)
			.containsExactly("a");
	}

	@Test
	void everyPageMakesAStep() {
		this.servers.server(List.of(), List.of("a"));

		LockPage first = page(null, 10, Duration.ZERO);
		LockPage second = page(first.next(), 10, Duration.ZERO);
		LockPage third = page(second.next(), 10, Duration.ZERO);

		assertThat(this.servers.steps).isEqualTo(2);
		assertThat(third.locks()).extracting(LockInfo::key).containsExactly("a");
	}

	@Test
	void stepsGrowUntilALockIsFound() {
		this.servers.server(List.of(), List.of(), List.of("a"), List.of());

		page(null, 10);

		assertThat(this.servers.counts).containsExactly(10, 20, 40, 9);
	}

	@Test
	void serverThatIsGoneEndsTheWalk() {
		this.servers.server(List.of("a"), List.of("b"));
		String next = page(null, 1).next();
		this.servers.clear();

		assertThat(page(next, 1)).isEqualTo(new LockPage(List.of(), null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a", "0", "0.x", "-1.0", "0.99999999999999999999", "99999.0", "0.0~a", "0.0~!!!!",
			"order:42" })
	void placeThatIsNotFromAPageIsRefused(String next) {
		this.servers.server(List.of("a"));

		assertThatThrownBy(() -> page(next, 1)).isInstanceOf(CompletionException.class)
			.cause()
			.isInstanceOf(InvalidLockRequestException.class)
			.hasMessageContaining("'" + next + "'");
		assertThat(this.servers.steps).isZero();
	}

	private List<List<String>> pages(int limit) {
		List<List<String>> pages = new ArrayList<>();
		LockPage page = page(null, limit);
		while (true) {
			pages.add(page.locks().stream().map(LockInfo::key).toList());
			if (page.next() == null) {
				return pages;
			}
			page = page(page.next(), limit);
		}
	}

	private LockPage page(@Nullable String next, int limit) {
		return page(next, limit, Duration.ofSeconds(60));
	}

	private LockPage page(@Nullable String next, int limit, Duration time) {
		return ScannedPage.read(this.servers, next, limit, CallDeadline.in(time, this.clock))
			.toCompletableFuture()
			.join();
	}

	/**
	 * Servers whose steps are known. The cursor is the number of the next step.
	 */
	private final class Servers implements KeyScan {

		private final List<List<List<String>>> batches = new ArrayList<>();

		private final List<Integer> counts = new ArrayList<>();

		private Duration stepTime = Duration.ZERO;

		private int steps;

		@SafeVarargs
		@SuppressWarnings("varargs")
		final void server(List<String>... batches) {
			this.batches.add(List.of(batches));
		}

		void clear() {
			this.batches.clear();
		}

		@Override
		public int servers() {
			return this.batches.size();
		}

		@Override
		public CompletionStage<KeyBatch> scan(int server, String cursor, int count) {
			this.steps++;
			this.counts.add(count);
			ScannedPageTests.this.clock.advance(this.stepTime);
			List<List<String>> own = this.batches.get(server);
			int step = Integer.parseInt(cursor);
			return CompletableFuture
				.completedStage(new KeyBatch((step + 1 < own.size()) ? Integer.toString(step + 1) : KeyBatch.END,
						(step < own.size()) ? own.get(step) : List.of()));
		}

		@Override
		public CompletionStage<List<LockInfo>> describe(int server, List<String> keys) {
			return CompletableFuture.completedStage(keys.stream()
				.filter((key) -> !key.startsWith("free"))
				.flatMap((key) -> (key.startsWith("group") ? Stream.of("one", "two") : Stream.of("one"))
					.map((holder) -> new LockInfo(key, holder, LockMode.EXCLUSIVE, 1, Duration.ZERO, Duration.ZERO)))
				.toList());
		}

	}

}
