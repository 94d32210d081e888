package io.distributedlock.backend.redlock.lettuce;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redlock.NodeAnswer;

/**
 * A vote or a release. One that concerns a single lock may be sent together with others.
 *
 * @param script the script that does only this
 * @param shared the arguments that all votes of one script share, or {@code null} for a
 * release
 * @param keys for each lock its name, and those of its counter and of the mark of its
 * waiters
 * @param arguments its further arguments
 * @param answer completed with the answer
 */
record NodeCall(LuaScript script, @Nullable VoteTerms shared, List<byte[]> keys, List<Object> arguments,
		CompletableFuture<NodeAnswer<List<?>>> answer) {

	static NodeCall vote(VoteTerms shared, List<byte[]> keys, Object... arguments) {
		return new NodeCall(NodeScripts.ACQUIRE, shared, keys, List.of(arguments), new CompletableFuture<>());
	}

	static NodeCall release(List<byte[]> keys, Object... arguments) {
		return new NodeCall(NodeScripts.RELEASE, null, keys, List.of(arguments), new CompletableFuture<>());
	}

	/**
	 * What the votes of one script share.
	 *
	 * @param state the expected state
	 * @param floor the floor of tokens that it names
	 * @param tickFloor the floor of ticks that it names
	 * @param retentionMillis how long counters are kept
	 */
	record VoteTerms(String state, long floor, long tickFloor, long retentionMillis) {

		/**
		 * The terms of a script without votes.
		 */
		static final VoteTerms NONE = new VoteTerms("", 0, 0, 0);

	}

}
