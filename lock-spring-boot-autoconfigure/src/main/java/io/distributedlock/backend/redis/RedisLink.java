package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import org.springframework.data.redis.connection.RedisConnection;

import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;

/**
 * The way to the primary, or in a Cluster to the primaries, of one Redis. Opens its
 * connections when they are needed, and anew where they were closed.
 * <p>
 * What fails without having been sent fails with {@link NotSentException}; of everything
 * else nobody knows whether it was executed. What has timed out is not sent later.
 */
interface RedisLink {

	/**
	 * Begin to open what the first call needs, without waiting for it.
	 * @param onReconnect is run whenever a connection was opened again after an
	 * interruption, if the driver reports it; does not block
	 * @param onSilence is run whenever a connection was found to be silent; does not
	 * block
	 */
	default void open(Runnable onReconnect, Runnable onSilence) {
	}

	/**
	 * Take a connection for a subscription alone, and one that has not fallen silent in a
	 * pool: on that a subscription would never be confirmed. May block.
	 * @param patience how long to look for one that answers
	 * @return the connection
	 */
	RedisConnection subscriptionConnection(Duration patience);

	/**
	 * Break a connection that subscribes, because it may have fallen silent.
	 * @param connection the connection
	 * @return whether its subscription ends by that, or is made again by the driver
	 */
	default boolean breakSubscription(RedisConnection connection) {
		return false;
	}

	/**
	 * Return whether keys may live on different servers, so that a script has to do with
	 * one key only.
	 */
	boolean isCluster();

	/**
	 * Run a script on the primary.
	 * @param call the script
	 * @param timeout how long it may take, with getting a connection
	 * @return what it returns
	 */
	default CompletionStage<List<Object>> run(ScriptCall call, Duration timeout) {
		return runAll(List.of(call), timeout).get(0);
	}

	/**
	 * Run scripts, sent together.
	 * @param calls the scripts
	 * @param timeout how long they may take, with getting a connection
	 * @return what each returns, in their order
	 */
	List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout);

	/**
	 * Run scripts that release, sent together. One whose keys are between two servers of
	 * a Cluster is run by the lock's key alone: it releases what may be held by that, as
	 * the owner id is compared and is that of no other lease.
	 * @param calls the scripts, each with the lock as its first key
	 * @param timeout how long they may take, with getting a connection
	 * @return what each returns, in their order
	 */
	default List<CompletionStage<List<Object>>> releaseAll(List<ScriptCall> calls, Duration timeout) {
		List<CompletionStage<List<Object>>> sent = runAll(calls, timeout);
		return IntStream.range(0, calls.size())
			.mapToObj((i) -> sent.get(i)
				.exceptionallyCompose((fault) -> RedisFaults.isSlotMoving(fault)
						? run(calls.get(i).byFirstKey(), timeout) : CompletableFuture.failedStage(fault)))
			.toList();
	}

	/**
	 * Find out how to run a script on every primary.
	 * @param keys the names of the locks
	 * @return for each primary the keys of a script that lead there; none if there is one
	 * server only
	 */
	CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys);

	/**
	 * Return how often a connection was interrupted so far. What was under way then may
	 * have been sent again by the driver, if it is one that sends again.
	 * @return a number that only grows
	 */
	default long interruptions() {
		return 0;
	}

	/**
	 * Give back what was opened. What is under way fails, or is answered.
	 */
	void close();

}
