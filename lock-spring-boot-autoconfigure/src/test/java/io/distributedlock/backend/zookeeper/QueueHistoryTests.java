package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.LockMode;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of a queue, with the rules of {@link QueuePosition} and with rules in
 * which one thing is wrong. Places of all modes enter, leave, and leave a cooldown
 * behind. Their clients look from time to time and act later.
 */
class QueueHistoryTests {

	private static final int HISTORIES = 2_000;

	private static final int STEPS = 40;

	@Test
	void holdersExcludeEachOther() {
		for (int seed = 0; seed < HISTORIES; seed++) {
			assertThat(new History(seed, QueueHistoryTests::rule, false).isBroken()).as("history %d", seed).isFalse();
		}
	}

	static Stream<Arguments> brokenRules() {
		Rule readersIgnorePermits = (position, cooldowns) -> (position.mode() == LockMode.SHARED)
				? position.before().stream().noneMatch((node) -> node.mode() == LockMode.EXCLUSIVE)
				: rule(position, cooldowns);
		Rule writersIgnoreGroups = (position, cooldowns) -> (position.mode() == LockMode.EXCLUSIVE)
				? position.before().stream().noneMatch((node) -> node.mode() == LockMode.EXCLUSIVE)
				: rule(position, cooldowns);
		Rule onePermitTooMany = (position, cooldowns) -> rule(
				new QueuePosition(position.before(), position.mode(), position.permits() + 1), cooldowns);
		Rule permitsIgnoreCooldowns = (position, cooldowns) -> rule(position,
				cooldowns.stream().filter((mode) -> mode != LockMode.PERMITS).toList());
		Rule otherModesIgnoreCooldowns = (position, cooldowns) -> rule(position,
				cooldowns.stream().filter((mode) -> mode == position.mode()).toList());
		return Stream.of(Arguments.of("readers ignore permits", readersIgnorePermits, false),
				Arguments.of("writers ignore groups", writersIgnoreGroups, false),
				Arguments.of("one permit too many", onePermitTooMany, false),
				Arguments.of("permits ignore cooldowns", permitsIgnoreCooldowns, false),
				Arguments.of("other modes ignore cooldowns", otherModesIgnoreCooldowns, false),
				Arguments.of("the queue is listed before the place is made", (Rule) QueueHistoryTests::rule, true));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("brokenRules")
	void brokenRuleIsFound(String name, Rule broken, boolean listedEarly) {
		int found = 0;
		for (int seed = 0; seed < HISTORIES; seed++) {
			found += new History(seed, broken, listedEarly).isBroken() ? 1 : 0;
		}

		assertThat(found).isPositive();
	}

	private static boolean rule(QueuePosition position, List<LockMode> cooldowns) {
		return cooldowns.stream().noneMatch(position::excludes) && position.blockers(cooldowns.size()) == null;
	}

	/**
	 * Decides whether a node has the lock.
	 */
	private interface Rule {

		boolean holds(QueuePosition position, List<LockMode> cooldowns);

	}

	/**
	 * One history.
	 */
	private static final class History {

		private final Random random;

		private final Rule rule;

		private final boolean listedEarly;

		private final List<Place> queue = new ArrayList<>();

		// The holders that have left and whose cooldowns run.
		private final List<Place> cooldowns = new ArrayList<>();

		History(int seed, Rule rule, boolean listedEarly) {
			this.random = new Random(seed);
			this.rule = rule;
			this.listedEarly = listedEarly;
		}

		boolean isBroken() {
			for (int step = 0; step < STEPS; step++) {
				int dice = this.random.nextInt(10);
				if (dice < 5 || this.queue.isEmpty()) {
					enter(step);
				}
				else if (dice < 9) {
					leave(this.queue.remove(this.random.nextInt(this.queue.size())));
				}
				else if (!this.cooldowns.isEmpty()) {
					this.cooldowns.remove(this.random.nextInt(this.cooldowns.size()));
				}
				this.queue.forEach(this::look);
				if (isViolated()) {
					return true;
				}
			}
			return false;
		}

		private void enter(int step) {
			OwnerId id = PlaceIds.of(LockMode.values()[this.random.nextInt(3)], OwnerId.random());
			Place place = new Place(new QueueNode(id.value() + "-7-lock-" + step, id, 7, step),
					1 + this.random.nextInt(3));
			this.queue.add(place);
			List<Place> others = (this.listedEarly && this.queue.size() > 1)
					? this.queue.subList(0, this.queue.size() - 2) : this.queue.subList(0, this.queue.size() - 1);
			place.see(others, this.cooldowns);
		}

		private void leave(Place place) {
			if (place.holds && this.random.nextBoolean()) {
				this.cooldowns.add(place);
			}
		}

		private void look(Place place) {
			if (!this.listedEarly && this.random.nextBoolean()) {
				place.see(this.queue.subList(0, this.queue.indexOf(place)), this.cooldowns);
			}
			if (!place.holds && this.random.nextBoolean()) {
				QueuePosition position = new QueuePosition(place.before, place.node.mode(), place.permits);
				place.holds = this.rule.holds(position, place.cooldowns);
			}
		}

		private boolean isViolated() {
			List<Place> holders = this.queue.stream().filter((place) -> place.holds).toList();
			List<Place> members = Stream.concat(holders.stream(), this.cooldowns.stream()).toList();
			if (holders.isEmpty()) {
				return false;
			}
			LockMode mode = holders.get(0).node.mode();
			int most = switch (mode) {
				case EXCLUSIVE -> 1;
				case SHARED -> Integer.MAX_VALUE;
				case PERMITS -> members.stream().mapToInt((place) -> place.permits).max().orElseThrow();
			};
			return members.size() > most || members.stream().anyMatch((place) -> place.node.mode() != mode);
		}

	}

	/**
	 * A place, and what its client has seen last.
	 */
	private static final class Place {

		private final QueueNode node;

		private final int permits;

		private List<QueueNode> before = List.of();

		private List<LockMode> cooldowns = List.of();

		private boolean holds;

		Place(QueueNode node, int permits) {
			this.node = node;
			this.permits = permits;
		}

		void see(List<Place> others, List<Place> running) {
			this.before = others.stream().map((place) -> place.node).toList();
			this.cooldowns = running.stream().map((place) -> place.node.mode()).toList();
		}

	}

}
