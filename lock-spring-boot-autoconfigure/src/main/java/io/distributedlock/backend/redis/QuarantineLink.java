package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.Quarantine.Standing;
import io.distributedlock.backend.redis.Quarantine.Waiting;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.QuarantineException;

/**
 * A way to a server that grants nothing while it is under quarantine. Renewals and
 * releases then count what the server has forgotten as their owner's.
 */
final class QuarantineLink implements RedisLink {

	/**
	 * What scripts return where the state is another one; no outcome of a renewal.
	 */
	private static final long OTHER_STATE = 4;

	private final RedisLink delegate;

	private final QuarantineWatch watch;

	private final byte[] stateKey;

	private final long maxTtlMillis;

	private final LockClock clock;

	QuarantineLink(RedisLink delegate, byte[] stateKey, RedisLockSettings settings, LockClock clock) {
		this.delegate = delegate;
		this.stateKey = stateKey;
		this.maxTtlMillis = settings.maxTtl().toMillis();
		this.clock = clock;
		this.watch = new QuarantineWatch(delegate, stateKey, settings, clock);
	}

	@Override
	public void open() {
		this.delegate.open();
	}

	@Override
	public void onReconnect(Runnable task) {
		this.delegate.onReconnect(task);
	}

	@Override
	public void onSilence(Runnable task) {
		this.delegate.onSilence(task);
	}

	@Override
	public RedisConnection dedicated(RedisConnection borrowed) {
		return this.delegate.dedicated(borrowed);
	}

	@Override
	public boolean breakSubscription(RedisConnection connection) {
		return this.delegate.breakSubscription(connection);
	}

	@Override
	public boolean answers(RedisConnection connection, Duration patience) {
		return this.delegate.answers(connection, patience);
	}

	@Override
	public boolean isCluster() {
		return this.delegate.isCluster();
	}

	/**
	 * Ask whether the server grants.
	 */
	@Override
	public CompletionStage<?> ready() {
		return this.watch.look();
	}

	@Override
	public List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout) {
		LuaScript script = calls.get(0).script();
		if (script == RedisScripts.ACQUIRE || script == RedisScripts.RENEW) {
			return guarded(calls, timeout);
		}
		List<CompletionStage<List<Object>>> sent = this.delegate.runAll(calls, timeout);
		if (script != RedisScripts.RELEASE) {
			return sent;
		}
		List<CompletionStage<List<Object>>> replies = new ArrayList<>(sent.size());
		for (int i = 0; i < calls.size(); i++) {
			replies.add(released(calls.get(i), sent.get(i), timeout));
		}
		return replies;
	}

	private List<CompletionStage<List<Object>>> guarded(List<ScriptCall> calls, Duration timeout) {
		long end = this.clock.nanoTime() + timeout.toNanos();
		CompletionStage<List<CompletionStage<List<Object>>>> sent = standing(this.watch.standing())
			.thenApply((standing) -> this.delegate
				.runAll(calls.stream().map((call) -> guarded(call, standing)).toList(), left(end)));
		List<CompletionStage<List<Object>>> replies = new ArrayList<>(calls.size());
		for (int i = 0; i < calls.size(); i++) {
			int index = i;
			replies.add(unwrapped(sent.thenCompose((all) -> all.get(index))
				.thenCompose((reply) -> isOtherState(reply) ? again(calls.get(index), end)
						: CompletableFuture.completedStage(reply))));
		}
		return replies;
	}

	/**
	 * Send a call once more after the server has told its state anew. Nothing of it was
	 * done before.
	 */
	private CompletionStage<List<Object>> again(ScriptCall call, long end) {
		return standing(this.watch.look())
			.thenCompose((standing) -> this.delegate.run(guarded(call, standing), left(end)))
			.thenApply((reply) -> {
				if (isOtherState(reply)) {
					throw new NotSentException("The Redis of the locks changes its state too often", null);
				}
				return reply;
			});
	}

	/**
	 * Whatever goes wrong before the standing is known, nothing of the call was sent.
	 */
	private static CompletionStage<Standing> standing(CompletionStage<Standing> asked) {
		return asked.exceptionallyCompose(
				(fault) -> CompletableFuture.failedStage((cause(fault) instanceof LockRefusedException refused)
						? refused : new NotSentException(String.valueOf(cause(fault).getMessage()), cause(fault))));
	}

	private Duration left(long end) {
		return Duration.ofNanos(Math.max(1, end - this.clock.nanoTime()));
	}

	private static boolean isOtherState(List<Object> reply) {
		return reply.isEmpty() || (ScriptReplies.number(reply.get(0)) == OTHER_STATE);
	}

	private ScriptCall guarded(ScriptCall call, Standing standing) {
		byte[] state = standing.state().getBytes(StandardCharsets.UTF_8);
		List<byte[]> arguments = new ArrayList<>(call.arguments());
		arguments.add(state);
		if (call.script() == RedisScripts.ACQUIRE) {
			if (standing instanceof Waiting waiting) {
				throw refusal(waiting.rest(this.clock));
			}
			refuseAbove("ttl", arguments.get(1));
			return new ScriptCall(RedisScripts.GUARDED_ACQUIRE, withState(call.keys()), arguments, call.acks());
		}
		for (int i = 0; i < call.keys().size(); i++) {
			refuseAbove("extension", arguments.get(2 * i + 2));
		}
		arguments.set(0, state);
		return (standing instanceof Waiting)
				? new ScriptCall(RedisScripts.REINSTALL, withState(withCounters(call.keys())), arguments, call.acks())
				: new ScriptCall(RedisScripts.GUARDED_RENEW, withState(call.keys()), arguments, call.acks());
	}

	private QuarantineException refusal(Duration rest) {
		return new QuarantineException(
				"The Redis of the locks is new, was restarted or was failed over to, and grants no lock until "
						+ Instant.ofEpochMilli(this.clock.wallMillis() + rest.toMillis()) + ", for another "
						+ rest.toMillis() + " ms, so that what it may have forgotten runs out"
						+ " (lock.redis.failover-quarantine)",
				rest);
	}

	private List<byte[]> withState(List<byte[]> keys) {
		List<byte[]> all = new ArrayList<>(keys);
		all.add(this.stateKey);
		return all;
	}

	private static List<byte[]> withCounters(List<byte[]> locks) {
		List<byte[]> all = new ArrayList<>(2 * locks.size());
		for (byte[] lock : locks) {
			all.add(lock);
			all.add(RedisKeys.counter(lock));
		}
		return all;
	}

	private void refuseAbove(String what, byte[] millis) {
		long asked = Long.parseLong(new String(millis, StandardCharsets.US_ASCII));
		if (asked > this.maxTtlMillis) {
			throw new InvalidLockRequestException("The " + what + " of " + asked
					+ " ms is longer than lock.redis.max-ttl (" + this.maxTtlMillis + " ms)");
		}
	}

	/**
	 * Look twice where a lock was not there: the server may have forgotten it.
	 */
	private CompletionStage<List<Object>> released(ScriptCall call, CompletionStage<List<Object>> sent,
			Duration timeout) {
		List<byte[]> arguments = call.arguments();
		boolean abandoned = arguments.get(1).length == 0;
		if (abandoned) {
			return sent;
		}
		return unwrapped(sent.thenCompose((reply) -> {
			if (ScriptReplies.number(reply.get(0)) == 1) {
				return CompletableFuture.completedStage(reply);
			}
			return this.watch.look()
				.thenCompose((standing) -> (standing instanceof Waiting) ? releaseForgotten(call, standing, timeout)
						: CompletableFuture.completedStage(reply));
		}));
	}

	private CompletionStage<List<Object>> releaseForgotten(ScriptCall call, Standing standing, Duration timeout) {
		List<byte[]> arguments = call.arguments();
		ScriptCall forgotten = ScriptCall.of(RedisScripts.RELEASE_FORGOTTEN, withState(call.keys().subList(0, 1)),
				arguments.get(0), arguments.get(2), standing.state());
		return this.delegate.run(forgotten, timeout).thenApply((reply) -> {
			if (isOtherState(reply)) {
				throw new LockUnavailableException(
						"The Redis of the locks was failed over to while a lock was released");
			}
			return reply;
		});
	}

	private static CompletionStage<List<Object>> unwrapped(CompletionStage<List<Object>> stage) {
		CompletableFuture<List<Object>> result = new CompletableFuture<>();
		stage.whenComplete((@Nullable List<Object> reply, @Nullable Throwable fault) -> {
			if (reply != null) {
				result.complete(reply);
			}
			else {
				result.completeExceptionally(cause(fault));
			}
		});
		return result;
	}

	private static Throwable cause(@Nullable Throwable fault) {
		if (fault instanceof CompletionException && fault.getCause() != null) {
			return fault.getCause();
		}
		return (fault != null) ? fault : new IllegalStateException("no answer");
	}

	@Override
	public CompletionStage<List<byte[]>> scan(RedisKeys keys, Duration timeout) {
		return this.delegate.scan(keys, timeout);
	}

	@Override
	public long interruptions() {
		return this.delegate.interruptions();
	}

	@Override
	public void close() {
		this.watch.close();
		this.delegate.close();
	}

}
