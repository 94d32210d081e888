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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueuePosition}.
 */
class QueuePositionTests {

	private static final LockMode EXCLUSIVE = LockMode.EXCLUSIVE;

	private static final LockMode SHARED = LockMode.SHARED;

	private static final LockMode PERMITS = LockMode.PERMITS;

	@Test
	void exclusiveNodeWaitsForAnyNodeBefore() {
		assertThat(watched(LockMode.EXCLUSIVE, 0)).isEmpty();
		assertThat(watched(LockMode.EXCLUSIVE, 0, LockMode.EXCLUSIVE, LockMode.EXCLUSIVE)).containsExactly(1);
		assertThat(watched(LockMode.EXCLUSIVE, 0, LockMode.EXCLUSIVE, LockMode.SHARED)).containsExactly(1);
		assertThat(watched(LockMode.EXCLUSIVE, 0, LockMode.PERMITS)).containsExactly(0);
	}

	@Test
	void readerWaitsForTheLastNodeOfAnotherModeOnly() {
		assertThat(watched(LockMode.SHARED, 0)).isEmpty();
		assertThat(watched(LockMode.SHARED, 0, LockMode.SHARED, LockMode.SHARED)).isEmpty();
		assertThat(watched(LockMode.SHARED, 0, LockMode.SHARED, LockMode.EXCLUSIVE, LockMode.SHARED))
			.containsExactly(1);
		assertThat(watched(LockMode.SHARED, 0, LockMode.EXCLUSIVE, LockMode.PERMITS, LockMode.SHARED))
			.containsExactly(1);
	}

	@Test
	void permitWaitsForNodesOfOtherModesFirst() {
		assertThat(watched(LockMode.PERMITS, 5, LockMode.PERMITS, LockMode.EXCLUSIVE, LockMode.PERMITS))
			.containsExactly(1);
		assertThat(watched(LockMode.PERMITS, 1, LockMode.PERMITS, LockMode.SHARED, LockMode.PERMITS))
			.containsExactly(1);
	}

	@Test
	void permitWatchesAsManyNodesAsThereArePermits() {
		assertThat(watched(LockMode.PERMITS, 3, LockMode.PERMITS, LockMode.PERMITS)).isEmpty();
		assertThat(watched(LockMode.PERMITS, 2, LockMode.PERMITS, LockMode.PERMITS, LockMode.PERMITS, LockMode.PERMITS))
			.containsExactly(2, 3);
		assertThat(watched(LockMode.PERMITS, 1, LockMode.PERMITS, LockMode.PERMITS)).containsExactly(1);
	}

	@Test
	void tryForAPermitChecksTheFirstNodesWhichDoNotGiveWay() {
		List<QueueNode> before = nodes(LockMode.PERMITS, LockMode.PERMITS, LockMode.PERMITS);

		QueueBlockers blockers = new QueuePosition(before, LockMode.PERMITS, 2).blockers(0);

		assertThat(blockers).isNotNull();
		assertThat(blockers.checked()).isEqualTo(before.subList(0, 2));
		assertThat(blockers.holders()).isEqualTo(before.subList(0, 2));
	}

	@Test
	void membersThatHaveLeftTheQueueButCountTakePermits() {
		QueuePosition position = new QueuePosition(nodes(LockMode.PERMITS, LockMode.PERMITS), LockMode.PERMITS, 4);

		assertThat(position.blockers(1)).isNull();
		assertThat(position.blockers(2)).extracting(QueueBlockers::watched).isEqualTo(position.before());
		assertThat(position.blockers(3)).extracting(QueueBlockers::watched).isEqualTo(position.before().subList(1, 2));
		assertThat(position.blockers(4)).extracting(QueueBlockers::watched).isEqualTo(List.of());
		assertThat(position.blockers(9)).isNotNull();
	}

	@Test
	void exclusiveNodeBehindAGroupKnowsAllItsHolders() {
		List<QueueNode> before = nodes(LockMode.EXCLUSIVE, LockMode.SHARED, LockMode.SHARED, LockMode.SHARED);

		QueueBlockers blockers = new QueuePosition(before, LockMode.EXCLUSIVE, 0).blockers(0);

		assertThat(blockers).isNotNull();
		assertThat(blockers.holders()).isEqualTo(before.subList(1, 4));
		assertThat(blockers.checked()).isEqualTo(before.subList(3, 4));
	}

	@Test
	void exclusiveNodeKnowsOnlyTheExclusiveNodeRightBefore() {
		List<QueueNode> before = nodes(LockMode.EXCLUSIVE, LockMode.EXCLUSIVE);

		QueueBlockers blockers = new QueuePosition(before, LockMode.EXCLUSIVE, 0).blockers(0);

		assertThat(blockers).isNotNull();
		assertThat(blockers.holders()).isEqualTo(before.subList(1, 2));
	}

	/**
	 * One of the watched nodes goes before the node can have the lock.
	 */
	@Test
	void watchedNodesAreEnoughToNoticeInTime() {
		for (int round = 0; round < 2_000; round++) {
			long seed = ThreadLocalRandom.current().nextLong();
			Random random = new Random(seed);
			List<QueueNode> before = new ArrayList<>();
			for (int i = 0; i < 1 + random.nextInt(12); i++) {
				before.add(node((random.nextInt(4) > 0) ? LockMode.PERMITS : LockMode.EXCLUSIVE, i));
			}
			int permits = 1 + random.nextInt(5);
			QueueBlockers blockers = new QueuePosition(List.copyOf(before), LockMode.PERMITS, permits).blockers(0);
			while (blockers != null) {
				List<QueueNode> watched = blockers.watched();
				assertThat(before).as("seed %d", seed).containsAll(watched);
				while (before.containsAll(watched)) {
					assertThat(new QueuePosition(before, LockMode.PERMITS, permits).blockers(0)).as("seed %d", seed)
						.isNotNull();
					before.remove(random.nextInt(before.size()));
				}
				blockers = new QueuePosition(List.copyOf(before), LockMode.PERMITS, permits).blockers(0);
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

}
