package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * Stores the latest tick of a lock, which replaces earlier ones, provided that the
 * holder's nodes still exist. With several keys, the tick belongs to the last one.
 *
 * @param expiring the nodes that are removed when their time is over
 * @param retention how long a tick is remembered
 */
record TickNodes(ExpiringNodes expiring, Duration retention) {

	CompletableFuture<String> store(OwnQueueNode holder, Instant tick, List<TickNode> older) {
		OwnQueueNode node = holder.last();
		TickNode stored = TickNode.of(tick.toEpochMilli(), node.ownerId());
		List<Op> operations = new ArrayList<>();
		holder.all().forEach((one) -> operations.add(Op.check(one.path(), -1)));
		older.forEach((before) -> operations.add(Op.delete(node.sibling(before.name()), -1)));
		String path = node.sibling(stored.name());
		operations.add(node.session().requests().opToCreate(path, CreateMode.PERSISTENT));
		return node.session().requests().multi(operations).whenComplete((done, fault) -> {
			if (fault == null) {
				this.expiring.add(node.sibling("tick"), path, this.retention);
			}
		});
	}

}
