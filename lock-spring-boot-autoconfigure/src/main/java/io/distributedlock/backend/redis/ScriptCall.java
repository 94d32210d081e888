package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One call of a script. Its keys share a hash slot where the Redis is a Cluster.
 *
 * @param script the script
 * @param keys the keys
 * @param arguments what else it is told
 * @since 0.1.0
 */
public record ScriptCall(LuaScript script, List<byte[]> keys, List<byte[]> arguments) {

	/**
	 * Create a call.
	 * @param script the script
	 * @param keys the keys
	 * @param arguments what else it is told: text, numbers or bytes
	 * @return the call
	 */
	public static ScriptCall of(LuaScript script, List<byte[]> keys, Object... arguments) {
		List<byte[]> bytes = new ArrayList<>(arguments.length);
		for (Object argument : arguments) {
			bytes.add((argument instanceof byte[] already) ? already
					: argument.toString().getBytes(StandardCharsets.UTF_8));
		}
		return new ScriptCall(script, keys, bytes);
	}

	@Override
	public String toString() {
		// Arguments hold owner ids, which are nobody's business.
		return this.script + " of " + this.keys.size() + " keys";
	}

}
