package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;

/**
 * Stores ticks: the latest one of a lock, which replaces those before, provided that the
 * place is still there.
 *
 * @param leftovers what is to be swept when its time is over
 * @param retention how long a tick is remembered
 */
record Ticks(Leftovers leftovers, Duration retention) {

	CompletableFuture<String> store(Place place, Instant tick, List<TickNode> older) {
		TickNode stored = TickNode.of(tick.toEpochMilli(), place.ownerId());
		List<Op> operations = new ArrayList<>();
		operations.add(Op.check(place.path(), -1));
		older.forEach((before) -> operations.add(Op.delete(place.lockPath() + "/" + before.name(), -1)));
		String path = place.lockPath() + "/" + stored.name();
		operations.add(place.session().requests().opToCreate(path, CreateMode.PERSISTENT));
		return place.session().requests().multi(operations).whenComplete((done, fault) -> {
			if (fault == null) {
				this.leftovers.add(place.lockPath() + "/tick", path, this.retention);
			}
		});
	}

}
