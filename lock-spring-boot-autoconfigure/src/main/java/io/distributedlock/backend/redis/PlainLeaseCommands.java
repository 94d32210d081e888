package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;

/**
 * Runs the scripts of leases on a server that grants locks as soon as it can be reached.
 *
 * @param link the link to the server
 * @param requests encodes the calls
 */
record PlainLeaseCommands(RedisLink link, RedisRequests requests) implements LeaseCommands {

	@Override
	public CompletionStage<List<Object>> acquire(String key, LeaseRequest request, Duration timeout) {
		return this.link.run(this.requests.acquire(key, request), timeout);
	}

	@Override
	public List<CompletionStage<List<Object>>> renew(List<RenewalBatch> batches, Duration timeout) {
		return this.link.runAll(batches.stream().map(this.requests::renew).toList(), timeout);
	}

	@Override
	public CompletionStage<List<Object>> release(LeaseGrant grant, Duration cooldown, Duration patience,
			Duration timeout) {
		return this.link.release(this.requests.release(grant, cooldown).awaited(patience), timeout);
	}

}
