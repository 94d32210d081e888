package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.kv.TxnResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * A link over clients of our own. One that has had no answer for a while is replaced by a
 * new one: after a long outage a client waits up to two minutes before it tries to
 * connect again, and can't be told to do so at once.
 */
final class ReopenedLink implements EtcdLink {

	private static final Logger logger = LoggerFactory.getLogger(ReopenedLink.class);

	private static final long PATIENCE = Duration.ofSeconds(5).toNanos();

	private final Supplier<Client> clients;

	private final LockClock clock;

	// Written under the monitor, as is the link.
	private volatile Client client;

	private volatile EtcdLink link;

	// Written by every answer, without a lock: it only has to be about right.
	private volatile long answeredAt;

	// Guarded by the monitor.
	private boolean closed;

	ReopenedLink(Supplier<Client> clients, LockClock clock) {
		this.clients = clients;
		this.clock = clock;
		this.client = clients.get();
		this.link = new JetcdLink(this.client);
		this.answeredAt = clock.nanoTime();
	}

	@Override
	public CompletionStage<TxnResponse> commit(Transaction transaction) {
		return heard((current) -> current.commit(transaction));
	}

	@Override
	public CompletionStage<LeaseAnswer> grant(long ttlSeconds) {
		return heard((current) -> current.grant(ttlSeconds));
	}

	@Override
	public CompletionStage<LeaseAnswer> keepAlive(long leaseId) {
		return heard((current) -> current.keepAlive(leaseId));
	}

	@Override
	public CompletionStage<?> revoke(long leaseId) {
		return heard((current) -> current.revoke(leaseId).thenApply((done) -> done));
	}

	@Override
	public CompletionStage<LeaseState> state(long leaseId, boolean keys) {
		return heard((current) -> current.state(leaseId, keys));
	}

	@Override
	public Watching watch(ByteSequence key, long from, LongConsumer deleted, Runnable ended) {
		return this.link.watch(key, from, deleted, ended);
	}

	private <T> CompletionStage<T> heard(Function<EtcdLink, CompletionStage<T>> request) {
		EtcdLink asked = this.link;
		return request.apply(asked).whenComplete((answer, fault) -> {
			if (fault == null || !EtcdFaults.isPassing(EtcdFaults.causeOf(fault))) {
				this.answeredAt = this.clock.nanoTime();
			}
			else if (this.clock.nanoTime() - this.answeredAt > PATIENCE) {
				reopen(asked);
			}
		});
	}

	private void reopen(EtcdLink asked) {
		Client former;
		synchronized (this) {
			if (this.closed || this.link != asked) {
				return;
			}
			former = this.client;
			this.client = this.clients.get();
			this.link = new JetcdLink(this.client);
			this.answeredAt = this.clock.nanoTime();
		}
		logger.debug("No answer from etcd for a while; connecting anew");
		// Not on a thread that belongs to the client.
		this.clock.schedule(Duration.ZERO, former::close);
	}

	@Override
	public void close() {
		Client last;
		synchronized (this) {
			this.closed = true;
			last = this.client;
		}
		last.close();
	}

}
