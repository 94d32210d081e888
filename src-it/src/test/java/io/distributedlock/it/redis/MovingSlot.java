package io.distributedlock.it.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.cluster.SlotHash;

/**
 * The slot of one key while it moves from its master to another one, which keeps it.
 */
final class MovingSlot {

	private final int slot;

	private final int source;

	private final int target;

	/**
	 * Begin to move the slot.
	 * @param name the name of a key in Redis; all keys with its hash tag move with it
	 */
	MovingSlot(String name) {
		this.slot = SlotHash.getSlot(name);
		this.source = RedisCluster.ports().stream().filter(this::serves).findFirst().orElseThrow();
		this.target = RedisCluster.ports().stream().filter((port) -> port != this.source).findFirst().orElseThrow();
		String sourceId = id(this.source);
		String targetId = id(this.target);
		RedisCluster.with(this.target, (commands) -> commands.clusterSetSlotImporting(this.slot, sourceId));
		RedisCluster.with(this.source, (commands) -> commands.clusterSetSlotMigrating(this.slot, targetId));
	}

	private boolean serves(int port) {
		String id = id(port);
		AtomicReference<Boolean> serves = new AtomicReference<>(false);
		RedisCluster.with(port, (commands) -> {
			for (Object range : commands.clusterSlots()) {
				List<?> parts = (List<?>) range;
				List<?> master = (List<?>) parts.get(2);
				if ((Long) parts.get(0) <= this.slot && this.slot <= (Long) parts.get(1) && id.equals(master.get(2))) {
					serves.set(true);
				}
			}
		});
		return serves.get();
	}

	private static String id(int port) {
		AtomicReference<String> id = new AtomicReference<>();
		RedisCluster.with(port, (commands) -> id.set(commands.clusterMyId()));
		return id.get();
	}

	/**
	 * Move a key of the slot.
	 * @param name its name in Redis
	 */
	void move(String name) {
		RedisCluster.with(this.source, (commands) -> commands.migrate("127.0.0.1", this.target, name, 0, 5000));
	}

	/**
	 * Move the other keys of the slot, and let the target own it.
	 */
	void end() {
		RedisCluster.with(this.source,
				(commands) -> commands.clusterGetKeysInSlot(this.slot, Integer.MAX_VALUE).forEach(this::move));
		// The target first. Until it owns the slot, the others would send clients back
		// and forth.
		String targetId = id(this.target);
		own(this.target, targetId);
		own(this.source, targetId);
		RedisCluster.ports().forEach((port) -> own(port, targetId));
	}

	private void own(int port, String id) {
		RedisCluster.with(port, (commands) -> commands.clusterSetSlotNode(this.slot, id));
	}

}
