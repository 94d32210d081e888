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
 * Runs scripts on the primary of one Redis, or on the primaries of a Cluster. Opens its
 * connections when they are needed, and again if they were closed.
 * <p>
 * A call that was not sent fails with a {@link NotSentException}. After any other failure
 * it is unknown whether the script was executed. A call that has timed out is not sent
 * later.
 */
interface RedisLink {

	/**
	 * Begin to open the connection that the first call needs, without waiting for it.
	 * @param onReconnect is run whenever a connection was opened again after an
	 * interruption, if the driver reports it; does not block
	 * @param onSilence is run whenever a connection was found to be silent; does not
	 * block
	 */
	default void open(Runnable onReconnect, Runnable onSilence) {
	}

	/**
	 * Take a connection that serves only a subscription. A connection of a pool that may
	 * have fallen silent is checked first, because a subscription on it would never be
	 * confirmed. May block.
	 * @param patience how long to look for a connection that answers
	 * @return the connection
	 */
	RedisConnection subscriptionConnection(Duration patience);

	/**
	 * Break the connection of a subscription, because it may have fallen silent.
	 * @param connection the connection
	 * @return {@code true} if the subscription then ends, or is made again by the driver
	 */
	default boolean breakSubscription(RedisConnection connection) {
		return false;
	}

	/**
	 * Return whether keys may be stored on different servers, so that a script may use
	 * one key only.
	 */
	boolean isCluster();

	/**
	 * Run a script on the primary.
	 * @param call the script
	 * @param timeout how long it may take, including the time to get a connection
	 * @return what it returns
	 */
	default CompletionStage<List<Object>> run(ScriptCall call, Duration timeout) {
		return runAll(List.of(call), timeout).get(0);
	}

	/**
	 * Run scripts, sent together.
	 * @param calls the scripts
	 * @param timeout how long they may take, including the time to get a connection
	 * @return what each returns, in their order
	 */
	List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout);

	/**
	 * Run a script that releases a lock. If its keys are moving between two servers of a
	 * Cluster, it is run with the lock's key alone. That is enough to release safely,
	 * because the script compares the owner id, which no other lease has.
	 * @param call the script, with the lock as its first key
	 * @param timeout how long it may take, including the time to get a connection
	 * @return what it returns
	 */
	default CompletionStage<List<Object>> release(ScriptCall call, Duration timeout) {
		return alsoWhileSlotMoves(run(call, timeout), call, timeout);
	}

	private CompletionStage<List<Object>> alsoWhileSlotMoves(CompletionStage<List<Object>> sent, ScriptCall call,
			Duration timeout) {
		return sent.exceptionallyCompose((fault) -> RedisFaults.isSlotMoving(fault) ? run(call.byFirstKey(), timeout)
				: CompletableFuture.failedStage(fault));
	}

	/**
	 * Run scripts as {@link #release} does, sent together.
	 * @param calls the scripts, each with the lock as its first key
	 * @param timeout how long they may take, including the time to get a connection
	 * @return what each returns, in their order
	 */
	default List<CompletionStage<List<Object>>> releaseAll(List<ScriptCall> calls, Duration timeout) {
		List<CompletionStage<List<Object>>> sent = runAll(calls, timeout);
		return IntStream.range(0, calls.size())
			.mapToObj((i) -> alsoWhileSlotMoves(sent.get(i), calls.get(i), timeout))
			.toList();
	}

	/**
	 * Determine how to run a script on every primary.
	 * @param keys the names of the locks
	 * @return for each primary, in no particular order, the keys that route a script to
	 * it; one empty list of keys if there is only one server
	 */
	CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys);

	/**
	 * Return how often a connection was interrupted so far. A driver that repeats
	 * commands may have sent again those that were under way. Zero for a driver that does
	 * not.
	 * @return a number that only grows
	 */
	default long interruptions() {
		return 0;
	}

	/**
	 * Give back all connections. Calls that are under way fail, or are answered.
	 */
	void close();

}
