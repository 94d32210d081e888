package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Runs the scripts of leases on a server that grants locks as soon as it can be reached.
 *
 * @param link the link to the server
 * @param requests encodes the calls
 * @param moving runs the scripts of members whose slot is moving
 */
record PlainLeaseCommands(RedisLink link, RedisRequests requests, MovingMembers moving) implements LeaseCommands {

	PlainLeaseCommands(RedisLink link, RedisRequests requests) {
		this(link, requests, new MovingMembers(link, requests.groups()));
	}

	@Override
	public CompletionStage<List<Object>> acquire(LockTarget target, LeaseRequest request, @Nullable DoorToClose door,
			Duration timeout) {
		return this.link.run(this.requests.acquire(target, request, door), timeout);
	}

	@Override
	public List<CompletionStage<List<Object>>> renew(List<RenewalBatch> batches, Duration timeout) {
		return this.link.runAll(batches.stream().map(this.requests::renew).toList(), timeout);
	}

	@Override
	public CompletionStage<List<Object>> release(LeaseGrant grant, Duration cooldown, Duration patience,
			Duration timeout) {
		ScriptCall call = this.requests.release(grant, cooldown).awaited(patience);
		return grant.target().isGroup() ? this.moving.release(grant, call, timeout) : this.link.release(call, timeout);
	}

}
