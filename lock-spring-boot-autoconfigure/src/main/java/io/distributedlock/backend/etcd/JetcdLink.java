package io.distributedlock.backend.etcd;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.LeaseOption;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to etcd through jetcd.
 * <p>
 * Keep-alives are requested one by one, each on a stream of its own that requires a
 * leader. Jetcd's standing stream does not show when an acknowledged keep-alive was sent,
 * and validity counts from that time.
 * <p>
 * A link must be created on a thread that belongs to no client. An object that jetcd
 * creates on a thread of another client delivers its answers there, and loses them when
 * that client is closed.
 */
final class JetcdLink implements EtcdLink {

	private static final DeleteOption DELETE = DeleteOption.builder().withPrevKV(true).build();

	private final KV keys;

	private final Lease leases;

	private final Watch watches;

	private final Runnable onClose;

	private JetcdLink(Client client, Runnable onClose) {
		this.keys = client.getKVClient();
		this.leases = client.getLeaseClient();
		this.watches = client.getWatchClient();
		this.onClose = onClose;
	}

	/**
	 * Create a link to a client of the application, which is never closed here.
	 */
	static JetcdLink to(Client client) {
		return new JetcdLink(client, () -> {
		});
	}

	/**
	 * Create a link to a client that is closed with it.
	 */
	static JetcdLink owning(Client client) {
		return new JetcdLink(client, client::close);
	}

	@Override
	public CompletionStage<TxnResponse> commit(EtcdTxn txn) {
		return this.keys.txn()
			.If(txn.conditions().toArray(Cmp[]::new))
			.Then(txn.then().toArray(Op[]::new))
			.Else(txn.otherwise().toArray(Op[]::new))
			.commit();
	}

	@Override
	public CompletionStage<Long> delete(ByteSequence key) {
		return this.keys.delete(key, DELETE)
			.thenApply((answer) -> answer.getPrevKvs().isEmpty() ? 0L : answer.getPrevKvs().get(0).getCreateRevision());
	}

	@Override
	public CompletionStage<LeaseAnswer> grant(long ttlSeconds) {
		return this.leases.grant(ttlSeconds).thenApply((answer) -> new LeaseAnswer(answer.getID(), answer.getTTL()));
	}

	@Override
	public CompletionStage<LeaseAnswer> keepAlive(long leaseId) {
		return this.leases.keepAliveOnce(leaseId)
			.thenApply((answer) -> new LeaseAnswer(answer.getID(), answer.getTTL()));
	}

	@Override
	public CompletionStage<Void> revoke(long leaseId) {
		return this.leases.revoke(leaseId).thenAccept((answer) -> {
		});
	}

	@Override
	public CompletionStage<LeaseState> state(long leaseId, boolean keys) {
		LeaseOption option = keys ? LeaseOption.builder().withAttachedKeys().build() : LeaseOption.DEFAULT;
		return this.leases.timeToLive(leaseId, option)
			.thenApply((answer) -> new LeaseState(answer.getTTL(), answer.getKeys()));
	}

	@Override
	public OpenWatch watch(ByteSequence key, @Nullable ByteSequence end, long from, LongConsumer begun,
			Deletions deleted, Runnable ended) {
		WatchOption.Builder option = WatchOption.builder()
			.withRevision(from)
			.withCreateNotify(true)
			.withNoPut(true)
			.withRequireLeader(true);
		if (end != null) {
			option.withRange(end).withPrevKV(true);
		}
		Watch.Watcher watcher = this.watches.watch(key, option.build(),
				Watch.listener((response) -> notify(response, begun, deleted), (fault) -> ended.run(), ended));
		return watcher::close;
	}

	private static void notify(WatchResponse response, LongConsumer begun, Deletions deleted) {
		if (response.isCreatedNotify()) {
			begun.accept(response.getHeader().getRevision());
		}
		response.getEvents().forEach((event) -> notify(event, deleted));
	}

	private static void notify(WatchEvent event, Deletions deleted) {
		KeyValue gone = event.getKeyValue();
		deleted.deleted(gone.getKey(), event.getPrevKV().getLease(), gone.getModRevision());
	}

	@Override
	public OpenWatch checkWatch(ByteSequence key, Runnable acknowledged, Consumer<Throwable> failed) {
		WatchOption option = WatchOption.builder().withCreateNotify(true).withRequireLeader(true).build();
		Watch.Watcher watcher = this.watches.watch(key, option, Watch.listener((response) -> acknowledged.run(), failed,
				() -> failed.accept(Status.UNAVAILABLE.withDescription("The watch has ended").asRuntimeException())));
		return watcher::close;
	}

	@Override
	public void close() {
		this.onClose.run();
	}

}
