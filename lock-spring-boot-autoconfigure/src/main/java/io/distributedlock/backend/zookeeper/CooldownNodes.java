package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.LockClock;

/**
 * Tells how much is left of cooldowns. Their beginning and that of the own node are both
 * known by the leader's clock, and the node was there before it was seen on ours: so
 * nobody is early, whatever the clocks say. A leader whose clock was set back can't keep
 * anybody out for longer than a cooldown's whole length from its first sight.
 *
 * @param clock the time
 */
record CooldownNodes(LockClock clock) {

	/**
	 * Return the rest of the longest one.
	 * @param node the own node
	 * @param cooldowns the cooldowns
	 * @return completed with zero where all are over
	 */
	CompletableFuture<Duration> rest(OwnQueueNode node, List<CooldownNode> cooldowns) {
		return ManyAnswers.join(cooldowns.stream().map((cooldown) -> rest(node, cooldown)))
			.thenApply((rests) -> rests.stream().max(Comparator.naturalOrder()).orElse(Duration.ZERO));
	}

	private CompletableFuture<Duration> rest(OwnQueueNode node, CooldownNode cooldown) {
		String path = node.sibling(cooldown.name());
		return ZooKeeperFaults.orElse(node.session().requests().exists(path).thenApply((stat) -> {
			long seenAt = node.firstSightOf(cooldown.name(), this.clock.nanoTime());
			return rest(node, cooldown, stat.getCtime(), seenAt);
		}), Duration.ZERO);
	}

	private Duration rest(OwnQueueNode node, CooldownNode cooldown, long begunAt, long seenAt) {
		long now = this.clock.nanoTime();
		// One millisecond more, since the leader's clock shows no fractions.
		Duration fromNode = cooldown.length()
			.plusMillis(begunAt - node.stat().getCtime() + 1)
			.minusNanos(now - node.seenAt());
		Duration fromSight = cooldown.length().minusNanos(now - seenAt);
		return longer((fromNode.compareTo(fromSight) < 0) ? fromNode : fromSight, Duration.ZERO);
	}

	/**
	 * Return what is left by the leader's clock, for a client without a node in the
	 * queue.
	 */
	static Duration rest(CooldownNode cooldown, long begunAt, long storeMillis) {
		return longer(cooldown.length().minusMillis(storeMillis - begunAt), Duration.ZERO);
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) >= 0) ? one : other;
	}

}
