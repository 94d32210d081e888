package io.distributedlock.backend.redis.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One call of a script. If the Redis is a Cluster, its keys share a hash slot.
 *
 * @param script the script
 * @param keys the keys
 * @param arguments the further arguments
 * @param acks the wait for replicas that follows, or {@code null}
 * @param awaited whether a thread is blocked until the answer
 * @since 0.1.0
 */
public record ScriptCall(LuaScript script, List<byte[]> keys, List<byte[]> arguments, @Nullable Acks acks,
		boolean awaited) {

	/**
	 * Create a call.
	 * @param script the script
	 * @param keys the keys
	 * @param arguments the further arguments: text, numbers or bytes
	 * @return the call
	 */
	public static ScriptCall of(LuaScript script, List<byte[]> keys, Object... arguments) {
		List<byte[]> bytes = new ArrayList<>(arguments.length);
		for (Object argument : arguments) {
			bytes.add((argument instanceof byte[] already) ? already
					: argument.toString().getBytes(StandardCharsets.UTF_8));
		}
		return new ScriptCall(script, keys, bytes, null, false);
	}

	/**
	 * Return this call, followed by a wait for replicas.
	 * @param wait the wait, or {@code null}
	 * @return the call. With a wait, its answer ends with the number of replicas that
	 * have acknowledged
	 */
	public ScriptCall with(@Nullable Acks wait) {
		return new ScriptCall(this.script, this.keys, this.arguments, wait, this.awaited);
	}

	/**
	 * Return this call, for which a thread may be blocked.
	 * @param patience how long it may be; zero if none is
	 * @return the call
	 */
	public ScriptCall awaited(Duration patience) {
		return new ScriptCall(this.script, this.keys, this.arguments, this.acks, !patience.isZero());
	}

	/**
	 * Return this call with one more key, and more arguments, after the others.
	 * @param key the key
	 * @param more the arguments: text or numbers
	 * @return the call
	 */
	public ScriptCall and(byte[] key, Object... more) {
		List<byte[]> allKeys = new ArrayList<>(this.keys);
		allKeys.add(key);
		List<byte[]> allArguments = new ArrayList<>(this.arguments);
		for (Object argument : more) {
			allArguments.add(argument.toString().getBytes(StandardCharsets.UTF_8));
		}
		return new ScriptCall(this.script, allKeys, allArguments, this.acks, this.awaited);
	}

	/**
	 * Return this call with the first of its keys only.
	 * @return the call
	 */
	public ScriptCall byFirstKey() {
		return new ScriptCall(this.script, this.keys.subList(0, 1), this.arguments, this.acks, this.awaited);
	}

	@Override
	public String toString() {
		// Arguments contain owner ids, which must not be shown.
		return this.script + " of " + this.keys.size() + " keys";
	}

	/**
	 * A wait for replicas to acknowledge what the connection has written.
	 *
	 * @param number how many replicas have to acknowledge it
	 * @param timeout how long to wait for them, at least a millisecond
	 */
	public record Acks(int number, Duration timeout) {
	}

}
