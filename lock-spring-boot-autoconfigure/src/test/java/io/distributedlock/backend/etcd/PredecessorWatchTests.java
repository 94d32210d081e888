package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.etcd.jetcd.ByteSequence;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.backend.etcd.EtcdQueueSnapshot.SessionSeen;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link PredecessorWatch}, with entries of groups that go in any way.
 */
class PredecessorWatchTests {

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final Map<Long, SessionSeen> NOT_ASKED = Map.of();

	private final VirtualLockClock clock = new VirtualLockClock();

	private final EtcdKeys keys = new EtcdKeys("", new KeyPrefix(""));

	private final EtcdRequests requests = mock(EtcdRequests.class);

	private final List<Watched> watched = new ArrayList<>();

	private final AtomicInteger wakeUps = new AtomicInteger();

	private final PredecessorWatch watch = new PredecessorWatch(this.requests, this.clock,
			this.wakeUps::incrementAndGet);

	@BeforeEach
	void recordWatches() {
		given(this.requests.watch(any(), any(), anyLong(), any(), any(), any())).willAnswer((call) -> {
			this.watched
				.add(new Watched(call.getArgument(0), call.getArgument(1), call.getArgument(3), call.getArgument(4)));
			return (EtcdLink.OpenWatch) () -> {
			};
		});
	}

	@Test
	void waiterBehindAGroupIsWokenWhenTheLastOfItHasGone() {
		EtcdPredecessor first = member(LockMode.SHARED, 1);
		EtcdPredecessor second = member(LockMode.SHARED, 2);
		this.watch.begin(own(LockMode.EXCLUSIVE), shown(10, group(LockMode.SHARED, 0, first, second)));

		delete(second, 11);
		assertThat(this.wakeUps).hasValue(0);
		delete(first, 12);

		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void waiterForAPermitIsWokenWhenFewerThanItsNumberAreLeft() {
		EtcdPredecessor[] permits = { member(LockMode.PERMITS, 1), member(LockMode.PERMITS, 2),
				member(LockMode.PERMITS, 3), member(LockMode.PERMITS, 4) };
		this.watch.begin(own(LockMode.PERMITS), shown(10, group(LockMode.PERMITS, 2, permits)));

		delete(permits[1], 11);
		assertThat(this.wakeUps).hasValue(0);
		delete(permits[3], 12);

		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void waiterIsWokenAtOnceIfItNowWantsMorePermitsThanAreTaken() {
		EtcdPredecessor[] permits = { member(LockMode.PERMITS, 1), member(LockMode.PERMITS, 2),
				member(LockMode.PERMITS, 3) };
		EtcdPlace own = own(LockMode.PERMITS);
		this.watch.begin(own, shown(10, group(LockMode.PERMITS, 0, permits)));
		delete(permits[0], 11);

		this.watch.begin(own, shown(10, group(LockMode.PERMITS, 2, permits)));

		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void whatIsWatchedAlreadyIsNotWatchedAnew() {
		EtcdPredecessor first = member(LockMode.SHARED, 1);
		EtcdPredecessor second = member(LockMode.SHARED, 2);
		EtcdPlace own = own(LockMode.EXCLUSIVE);
		this.watch.begin(own, shown(10, group(LockMode.SHARED, 0, first, second)));

		this.watch.begin(own, shown(12, group(LockMode.SHARED, 0, first)));

		assertThat(this.watched).hasSize(2);
	}

	/**
	 * Its deletion may have been shown and ignored before the answer to the look arrived.
	 */
	@Test
	void entryThatWasNotKnownIsWatchedAnewAndLookedAtIfTheWatchBeginsLate() {
		EtcdPredecessor first = member(LockMode.SHARED, 1);
		EtcdPredecessor second = member(LockMode.SHARED, 2);
		EtcdPlace own = own(LockMode.EXCLUSIVE);
		this.watch.begin(own, shown(10, group(LockMode.SHARED, 0, first)));
		delete(second, 12);
		delete(first, 13);

		this.watch.begin(own, shown(11, group(LockMode.SHARED, 0, first, second)));

		assertThat(this.watched).hasSize(3);
		this.wakeUps.set(0);
		this.watched.get(2).begun().accept(11);
		assertThat(this.wakeUps).hasValue(0);
		this.watched.get(2).begun().accept(12);
		assertThat(this.wakeUps).hasValue(1);
	}

	@Test
	void nothingIsCertainUntilTheSessionsOfAllThatAreGoneWereAskedFor() {
		EtcdPredecessor[] readers = Stream.iterate(1, (i) -> i + 1)
			.limit(200)
			.map((i) -> member(LockMode.SHARED, i))
			.toArray(EtcdPredecessor[]::new);
		this.watch.begin(own(LockMode.EXCLUSIVE), shown(300, group(LockMode.SHARED, 0, readers)));

		assertThat(this.watch.note(shown(400, EtcdQueueAhead.NOTHING))).isFalse();
		assertThat(noteWithSessions()).isFalse();
		assertThat(noteWithSessions()).isFalse();
		assertThat(noteWithSessions()).isTrue();
		assertThat(this.watch.sessions()).isEmpty();
	}

	private boolean noteWithSessions() {
		Map<Long, Long> asked = this.watch.sessions();
		assertThat(asked).hasSizeBetween(1, 100);
		return this.watch.note(new EtcdQueueSnapshot(400, 399, EtcdQueueAhead.NOTHING, null, null, seen(asked, true)));
	}

	@Test
	void sessionIsAskedForAtItsLatestDeletionAndNowWhileAnEntryOfItExists() {
		EtcdPredecessor first = member(LockMode.PERMITS, 1, 7);
		EtcdPredecessor second = member(LockMode.PERMITS, 2, 7);
		EtcdPredecessor third = member(LockMode.PERMITS, 3, 7);
		this.watch.begin(own(LockMode.PERMITS), shown(10, group(LockMode.PERMITS, 0, first, second, third)));

		delete(first, 11);
		delete(second, 12);
		assertThat(this.watch.sessions()).isEqualTo(Map.of(7L, 0L));
		delete(third, 13);
		assertThat(this.watch.sessions()).isEqualTo(Map.of(7L, 13L));
		this.watch.forgetRevisions();

		assertThat(this.watch.sessions()).isEqualTo(Map.of(7L, 0L));
	}

	@Test
	void holderThatIsGoneWithItsSessionIsGivenItsTime() {
		EtcdPredecessor reader = member(LockMode.SHARED, 1);
		EtcdPlace own = own(LockMode.EXCLUSIVE);
		this.watch.begin(own, shown(10, group(LockMode.SHARED, 0, reader)));
		delete(reader, 11);
		this.clock.advance(Duration.ofSeconds(2));

		assertThat(noteVanished(EtcdQueueAhead.NOTHING)).isTrue();

		assertThat(this.watch.grace(own, shown(12, EtcdQueueAhead.NOTHING))).isEqualTo(GRACE.minusSeconds(2));
		this.clock.advance(GRACE.minusSeconds(2));
		assertThat(this.watch.grace(own, shown(12, EtcdQueueAhead.NOTHING))).isZero();
	}

	@Test
	void holderThatWasReleasedBeforeItsSessionEndedIsGivenNoTime() {
		EtcdPredecessor first = member(LockMode.PERMITS, 1, 7);
		EtcdPredecessor second = member(LockMode.PERMITS, 2, 7);
		EtcdPlace own = own(LockMode.PERMITS);
		this.watch.begin(own, shown(10, group(LockMode.PERMITS, 1, first, second)));
		delete(first, 11);
		delete(second, 12);

		assertThat(noteVanished(EtcdQueueAhead.NOTHING)).isTrue();

		// One of them counts, so there is still room for another one.
		assertThat(this.watch.grace(own, shown(13, group(LockMode.PERMITS, 1)))).isZero();
		assertThat(this.watch.grace(own, shown(13, group(LockMode.PERMITS, 0)))).isPositive();
	}

	@Test
	void memberThatWasOnlyKeptForItsCooldownIsGivenNoTime() {
		EtcdPredecessor reader = member(LockMode.SHARED, 1, 7);
		EtcdPlace own = own(LockMode.EXCLUSIVE);
		this.watch.begin(own, shown(10, group(LockMode.SHARED, 0, reader)));

		this.watched.get(1).deletions().deleted(reader.name(), 8, 11);

		assertThat(this.wakeUps).hasValue(1);
		assertThat(noteVanished(EtcdQueueAhead.NOTHING)).isTrue();
		assertThat(this.watch.grace(own, shown(12, EtcdQueueAhead.NOTHING))).isZero();
	}

	@Test
	void permitThatIsGoneWithItsSessionCountsAsOne() {
		EtcdPredecessor first = member(LockMode.PERMITS, 1);
		EtcdPredecessor second = member(LockMode.PERMITS, 2);
		EtcdPlace own = own(LockMode.PERMITS);
		this.watch.begin(own, shown(10, group(LockMode.PERMITS, 1, first, second)));
		delete(first, 11);

		assertThat(noteVanished(group(LockMode.PERMITS, 1, second))).isTrue();

		assertThat(this.watch.grace(own, shown(12, group(LockMode.PERMITS, 1, second)))).isEqualTo(GRACE);
		assertThat(this.watch.grace(own, shown(12, group(LockMode.PERMITS, 2, second)))).isZero();
		delete(second, 13);
		assertThat(this.watch.note(new EtcdQueueSnapshot(14, 9, group(LockMode.PERMITS, 1), null, null,
				seen(this.watch.sessions(), true))))
			.isTrue();
		assertThat(this.watch.grace(own, shown(14, group(LockMode.PERMITS, 1)))).isZero();
	}

	@Test
	void writerThatIsGoneWithItsSessionExcludesPermitsWhateverTheirNumber() {
		EtcdPredecessor writer = member(LockMode.EXCLUSIVE, 1);
		EtcdPlace own = own(LockMode.PERMITS);
		this.watch.begin(own, shown(10, new EtcdQueueAhead(List.of(writer), 1, 0, writer.name(), null)));
		delete(writer, 11);

		assertThat(noteVanished(group(LockMode.PERMITS, 5))).isTrue();

		assertThat(this.watch.grace(own, shown(12, group(LockMode.PERMITS, 5)))).isEqualTo(GRACE);
	}

	@Test
	void waiterThatIsGoneWithItsSessionIsForgottenWhileTheHolderBeforeItStays() {
		EtcdPredecessor holder = member(LockMode.EXCLUSIVE, 1);
		EtcdPredecessor waiter = member(LockMode.EXCLUSIVE, 2);
		EtcdPlace own = own(LockMode.EXCLUSIVE);
		this.watch.begin(own, shown(10, new EtcdQueueAhead(List.of(waiter), 1, 0, waiter.name(), null)));
		delete(waiter, 11);

		noteVanished(new EtcdQueueAhead(List.of(holder), 1, 0, holder.name(), null));

		assertThat(this.watch.grace(own, shown(12, EtcdQueueAhead.NOTHING))).isZero();
	}

	private boolean noteVanished(EtcdQueueAhead ahead) {
		return this.watch.note(new EtcdQueueSnapshot(12, 9, ahead, null, null, seen(this.watch.sessions(), false)));
	}

	private static Map<Long, SessionSeen> seen(Map<Long, Long> asked, boolean lives) {
		return asked.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (session) -> new SessionSeen(session.getValue(), lives)));
	}

	private void delete(EtcdPredecessor entry, long revision) {
		this.watched.stream()
			.filter((begun) -> begun.covers(entry.name()))
			.forEach((begun) -> begun.deletions().deleted(entry.name(), entry.leaseId(), revision));
	}

	private EtcdQueueSnapshot shown(long revision, EtcdQueueAhead ahead) {
		return new EtcdQueueSnapshot(revision, 9, ahead, null, null, NOT_ASKED);
	}

	private EtcdQueueAhead group(LockMode mode, int allowed, EtcdPredecessor... members) {
		EtcdKeys.Range range = this.keys.members("k", mode);
		return new EtcdQueueAhead(List.of(members), members.length, allowed, range.from(), range.to());
	}

	private EtcdPredecessor member(LockMode mode, long revision) {
		return member(mode, revision, revision);
	}

	private EtcdPredecessor member(LockMode mode, long revision, long leaseId) {
		return new EtcdPredecessor(this.keys.entry(LockTarget.of("k", mode), OwnerId.random()), mode, revision, leaseId,
				GRACE);
	}

	private EtcdPlace own(LockMode mode) {
		LockTarget target = LockTarget.of("k", mode);
		return new EtcdPlace(target, this.keys.entry(target, OwnerId.random()));
	}

	/**
	 * A watch that was begun.
	 */
	private record Watched(ByteSequence key, ByteSequence end, LongConsumer begun, EtcdLink.Deletions deletions) {

		boolean covers(ByteSequence name) {
			if (this.end == null) {
				return this.key.equals(name);
			}
			String text = name.toString(StandardCharsets.UTF_8);
			return text.compareTo(this.key.toString(StandardCharsets.UTF_8)) >= 0
					&& text.compareTo(this.end.toString(StandardCharsets.UTF_8)) < 0;
		}

	}

}
