package io.distributedlock.backend.etcd;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.kv.TxnResponse;
import org.jspecify.annotations.Nullable;

/**
 * The requests to etcd. A method does not block and sends its request once, and its stage
 * may be completed late or never. {@link EtcdRequests} repeats and bounds them.
 */
interface EtcdLink {

	CompletionStage<TxnResponse> commit(EtcdTxn txn);

	/**
	 * Delete a key.
	 * @return its create revision, zero if it was not there
	 */
	CompletionStage<Long> delete(ByteSequence key);

	/**
	 * Grant a lease of etcd.
	 * @param ttlSeconds how long it lives unless it is kept alive
	 */
	CompletionStage<LeaseAnswer> grant(long ttlSeconds);

	/**
	 * Keep a lease alive once. If the lease has ended, this fails with a fault for which
	 * {@link EtcdFaults#isLeaseGone} returns {@code true}.
	 */
	CompletionStage<LeaseAnswer> keepAlive(long leaseId);

	/**
	 * End a lease, and delete what is attached to it.
	 */
	CompletionStage<Void> revoke(long leaseId);

	/**
	 * Return the remaining time of a lease, zero or less if it has ended, and the keys
	 * that are attached to it.
	 * @param keys whether to ask for the keys
	 */
	CompletionStage<LeaseState> state(long leaseId, boolean keys);

	/**
	 * Watch for the deletion of keys. The callbacks run on any thread, possibly before
	 * this method returns. So it must not be called under a lock that the callbacks take.
	 * {@link KeyWatch} ensures that they count only until it has closed the watch.
	 * @param key the key, or the first one
	 * @param end the first key after them, or {@code null} for a single one
	 * @param from the first revision of interest, zero for those to come
	 * @param begun receives the revision after which deletions are shown, once for each
	 * time that the client begins the watch
	 * @param deleted receives the deletions
	 * @param ended runs when the watch has ended; deletions may be missed from then on
	 */
	OpenWatch watch(ByteSequence key, @Nullable ByteSequence end, long from, LongConsumer begun, Deletions deleted,
			Runnable ended);

	/**
	 * Watch a key, only to check whether that is possible.
	 * @param acknowledged runs when etcd has acknowledged the watch
	 * @param failed receives the fault if there is no watch
	 */
	OpenWatch checkWatch(ByteSequence key, Runnable acknowledged, Consumer<Throwable> failed);

	/**
	 * Close the resources of the link.
	 */
	void close();

	/**
	 * The answer of etcd after it has granted a lease or kept it alive.
	 */
	record LeaseAnswer(long id, long ttlSeconds) {
	}

	/**
	 * The state of a lease in etcd.
	 */
	record LeaseState(long restSeconds, List<ByteSequence> keys) {
	}

	/**
	 * Receives the deletions that a watch shows.
	 */
	@FunctionalInterface
	interface Deletions {

		/**
		 * Called when a key was deleted.
		 * @param key the key
		 * @param leaseId the lease to which it was attached, zero if that is not known
		 * @param revision the revision of the deletion
		 */
		void deleted(ByteSequence key, long leaseId, long revision);

	}

	/**
	 * A watch that can be closed.
	 */
	@FunctionalInterface
	interface OpenWatch {

		void close();

	}

}
