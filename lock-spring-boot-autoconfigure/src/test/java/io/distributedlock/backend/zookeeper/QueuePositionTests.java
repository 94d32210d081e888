package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.spi.OwnerId;

import static io.distributedlock.LockMode.EXCLUSIVE;
import static io.distributedlock.LockMode.PERMITS;
import static io.distributedlock.LockMode.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueuePosition}.
 */
class QueuePositionTests {

	@Test
	void exclusiveNodeWaitsForAnyNodeBefore() {
		assertThat(watched(EXCLUSIVE, 0)).isEmpty();
		assertThat(watched(EXCLUSIVE, 0, EXCLUSIVE, EXCLUSIVE)).containsExactly(1);
		assertThat(watched(EXCLUSIVE, 0, EXCLUSIVE, SHARED)).containsExactly(1);
		assertThat(watched(EXCLUSIVE, 0, PERMITS)).containsExactly(0);
	}

	@Test
	void readerWaitsForTheLastNodeOfAnotherModeOnly() {
		assertThat(watched(SHARED, 0)).isEmpty();
		assertThat(watched(SHARED, 0, SHARED, SHARED)).isEmpty();
		assertThat(watched(SHARED, 0, SHARED, EXCLUSIVE, SHARED)).containsExactly(1);
		assertThat(watched(SHARED, 0, EXCLUSIVE, PERMITS, SHARED)).containsExactly(1);
	}

	@Test
	void permitWaitsForNodesOfOtherModesFirst() {
		assertThat(watched(PERMITS, 5, PERMITS, EXCLUSIVE, PERMITS)).containsExactly(1);
		assertThat(watched(PERMITS, 1, PERMITS, SHARED, PERMITS)).containsExactly(1);
	}

	@Test
	void permitWatchesAsManyNodesAsThereArePermits() {
		assertThat(watched(PERMITS, 3, PERMITS, PERMITS)).isEmpty();
		assertThat(watched(PERMITS, 2, PERMITS, PERMITS, PERMITS, PERMITS)).containsExactly(2, 3);
		assertThat(watched(PERMITS, 1, PERMITS, PERMITS)).containsExactly(1);
	}

	@Test
	void tryForAPermitChecksTheFirstNodesWhichDoNotGiveWay() {
		List<QueueNode> before = nodes(PERMITS, PERMITS, PERMITS);

		QueueBlockers blockers = new QueuePosition(before, PERMITS, 2).blockers(0);

		assertThat(blockers).isNotNull();
		assertThat(blockers.checked()).isEqualTo(before.subList(0, 2));
		assertThat(blockers.holders()).isEqualTo(before.subList(0, 2));
	}

	@Test
	void membersThatHaveLeftTheQueueButCountTakePermits() {
		QueuePosition position = new QueuePosition(nodes(PERMITS, PERMITS), PERMITS, 4);

		assertThat(position.blockers(1)).isNull();
		assertThat(position.blockers(2)).extracting(QueueBlockers::watched).isEqualTo(position.before());
		assertThat(position.blockers(3)).extracting(QueueBlockers::watched).isEqualTo(position.before().subList(1, 2));
		assertThat(position.blockers(4)).extracting(QueueBlockers::watched).isEqualTo(List.of());
		assertThat(position.blockers(9)).isNotNull();
	}

	@Test
	void exclusiveNodeBehindAGroupKnowsAllItsHolders() {
		List<QueueNode> before = nodes(EXCLUSIVE, SHARED, SHARED, SHARED);

		QueueBlockers blockers = new QueuePosition(before, EXCLUSIVE, 0).blockers(0);

		assertThat(blockers).isNotNull();
		assertThat(blockers.holders()).isEqualTo(before.subList(1, 4));
		assertThat(blockers.checked()).isEqualTo(before.subList(3, 4));
	}

	@Test
	void exclusiveNodeKnowsOnlyTheExclusiveNodeRightBefore() {
		List<QueueNode> before = nodes(EXCLUSIVE, EXCLUSIVE);

		QueueBlockers blockers = new QueuePosition(before, EXCLUSIVE, 0).blockers(0);

		assertThat(blockers).isNotNull();
		assertThat(blockers.holders()).isEqualTo(before.subList(1, 2));
	}

	/**
	 * Nodes enter in any mode and leave in any order. A client may still see nodes that
	 * have left, but misses none.
	 */
	@Test
	void holdersExcludeEachOtherInAnyHistory() {
		for (int round = 0; round < 2_000; round++) {
			long seed = ThreadLocalRandom.current().nextLong();
			Random random = new Random(seed);
			List<Place> queue = new ArrayList<>();
			for (int step = 0; step < 40; step++) {
				if (queue.isEmpty() || random.nextInt(3) > 0) {
					Place place = new Place(node(LockMode.values()[random.nextInt(3)], step), 1 + random.nextInt(3));
					queue.add(place);
					place.seen = List.copyOf(queue);
				}
				else {
					queue.remove(random.nextInt(queue.size()));
				}
				queue.forEach((place) -> place.look(queue, random));
				List<Place> holders = queue.stream().filter((place) -> place.holds).toList();
				assertThat(holders).as("seed %d", seed)
					.allMatch((one) -> holders.stream()
						.allMatch((other) -> one == other
								|| (one.node.mode() == other.node.mode() && one.node.mode() != EXCLUSIVE)));
				assertThat(holders.stream().filter((place) -> place.node.mode() == PERMITS).count()).as("seed %d", seed)
					.isLessThanOrEqualTo(holders.stream().mapToInt((place) -> place.permits).max().orElse(0));
				assertThat(queue.isEmpty() || queue.get(0).mayHold(queue)).as("seed %d", seed).isTrue();
			}
		}
	}

	/**
	 * A waiter that watches the nodes that it is told to notices in time.
	 */
	@Test
	void noWakeUpIsMissed() {
		for (int round = 0; round < 2_000; round++) {
			long seed = ThreadLocalRandom.current().nextLong();
			Random random = new Random(seed);
			List<QueueNode> before = new ArrayList<>();
			for (int i = 0; i < 1 + random.nextInt(12); i++) {
				before.add(node((random.nextInt(4) > 0) ? PERMITS : EXCLUSIVE, i));
			}
			int permits = 1 + random.nextInt(5);
			QueueBlockers blockers = new QueuePosition(List.copyOf(before), PERMITS, permits).blockers(0);
			while (blockers != null) {
				List<QueueNode> watched = blockers.watched();
				assertThat(before).as("seed %d", seed).containsAll(watched);
				while (before.containsAll(watched)) {
					assertThat(new QueuePosition(before, PERMITS, permits).blockers(0)).as("seed %d", seed).isNotNull();
					before.remove(random.nextInt(before.size()));
				}
				blockers = new QueuePosition(List.copyOf(before), PERMITS, permits).blockers(0);
			}
		}
	}

	private static List<Integer> watched(LockMode mode, int permits, LockMode... before) {
		QueueBlockers blockers = new QueuePosition(nodes(before), mode, permits).blockers(0);
		return (blockers != null) ? blockers.watched().stream().map(QueueNode::number).toList() : List.of();
	}

	private static List<QueueNode> nodes(LockMode... modes) {
		List<LockMode> all = Arrays.asList(modes);
		return IntStream.range(0, all.size()).mapToObj((number) -> node(all.get(number), number)).toList();
	}

	private static QueueNode node(LockMode mode, int number) {
		OwnerId id = PlaceIds.of(mode, OwnerId.random());
		return new QueueNode(QueueNode.prefix(id, 7) + number, id, 7, number);
	}

	/**
	 * A place whose client looks at the queue from time to time and acts later.
	 */
	private static final class Place {

		private final QueueNode node;

		private final int permits;

		private List<Place> seen = List.of();

		private boolean holds;

		Place(QueueNode node, int permits) {
			this.node = node;
			this.permits = permits;
		}

		void look(List<Place> queue, Random random) {
			this.seen = random.nextBoolean() ? List.copyOf(queue) : this.seen;
			this.holds |= random.nextBoolean() && mayHold(this.seen);
		}

		boolean mayHold(List<Place> queue) {
			List<QueueNode> before = queue.subList(0, queue.indexOf(this)).stream().map((place) -> place.node).toList();
			return new QueuePosition(before, this.node.mode(), this.permits).blockers(0) == null;
		}

	}

}
