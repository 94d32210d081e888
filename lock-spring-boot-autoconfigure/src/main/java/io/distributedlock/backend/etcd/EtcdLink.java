package io.distributedlock.backend.etcd;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;

/**
 * What is asked of etcd. Nothing blocks, nothing is repeated, and a stage may be
 * completed late or never: {@link EtcdRequests} sees to both.
 */
interface EtcdLink {

	CompletionStage<TxnResponse> commit(EtcdTxn txn);

	/**
	 * Grant a lease of etcd.
	 * @param ttlSeconds how long it lives unless it is kept alive
	 */
	CompletionStage<LeaseAnswer> grant(long ttlSeconds);

	/**
	 * Keep a lease alive once. Fails as {@link EtcdFaults#isLeaseGone} tells where there
	 * is none any more.
	 */
	CompletionStage<LeaseAnswer> keepAlive(long leaseId);

	/**
	 * End a lease, and delete what is attached to it.
	 */
	CompletionStage<Void> revoke(long leaseId);

	/**
	 * Return what is left of a lease, zero or less where there is none any more, and the
	 * keys that are attached to it.
	 * @param keys whether to ask for the keys
	 */
	CompletionStage<LeaseState> state(long leaseId, boolean keys);

	/**
	 * Watch for the deletion of a key. Calls back from any thread, also before this
	 * returns, and must not be called under a lock that the callbacks take.
	 * {@link KeyWatch} sees to it that one call counts, and none after it has closed the
	 * watch.
	 * @param key the key
	 * @param from the first revision of interest
	 * @param deleted receives the revision of the deletion
	 * @param ended run when the watch has ended, so that deletions may be missed from
	 * then on
	 */
	OpenWatch watch(ByteSequence key, long from, LongConsumer deleted, Runnable ended);

	/**
	 * Watch a key, only to find out whether that is possible.
	 * @param acknowledged run when etcd has acknowledged the watch
	 * @param failed receives why there is no watch
	 */
	OpenWatch checkWatch(ByteSequence key, Runnable acknowledged, Consumer<Throwable> failed);

	/**
	 * Close what belongs to the link.
	 */
	void close();

	/**
	 * What etcd says of a lease that it has granted or kept alive.
	 */
	record LeaseAnswer(long id, long ttlSeconds) {
	}

	/**
	 * What etcd knows of a lease.
	 */
	record LeaseState(long restSeconds, List<ByteSequence> keys) {
	}

	/**
	 * A watch that can be closed.
	 */
	@FunctionalInterface
	interface OpenWatch {

		void close();

	}

}
