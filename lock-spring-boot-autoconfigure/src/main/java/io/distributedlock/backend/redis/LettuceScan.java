package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.models.role.RedisInstance;

import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;

/**
 * Looks for names on all primaries, one after the other, page by page.
 */
final class LettuceScan {

	private static final int PAGE = 1000;

	private final LettuceWire wire;

	private final String pattern;

	private final Duration timeout;

	private final ScriptTimeouts timeouts;

	private final List<byte[]> names = new ArrayList<>();

	LettuceScan(LettuceWire wire, String pattern, Duration timeout, ScriptTimeouts timeouts) {
		this.wire = wire;
		this.pattern = pattern;
		this.timeout = timeout;
		this.timeouts = timeouts;
	}

	CompletionStage<List<byte[]>> run() {
		if (!this.wire.isCluster()) {
			return page(this.wire.wire(), "0").thenApply((end) -> this.names);
		}
		CompletionStage<Void> all = CompletableFuture.completedStage(null);
		for (RedisClusterNode node : this.wire.cluster().getPartitions()) {
			if (node.getRole() == RedisInstance.Role.UPSTREAM && !node.getSlots().isEmpty()) {
				all = all.thenCompose((before) -> node(node));
			}
		}
		return all.thenApply((end) -> this.names);
	}

	private CompletionStage<Void> node(RedisClusterNode node) {
		CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connection = this.wire.cluster()
			.getConnectionAsync(node.getNodeId());
		return connection.thenCompose((wire) -> page(wire, "0"));
	}

	private CompletionStage<Void> page(StatefulConnection<byte[], byte[]> server, String cursor) {
		PendingScript script = this.timeouts.begin(ScriptCall.of(LuaScript.SCAN, List.of(), cursor, this.pattern, PAGE),
				this.timeout);
		LettuceLink.send(server, List.of(script));
		return script.call().result().thenCompose((answer) -> {
			String next = ScriptReplies.text(answer.get(0));
			ScriptReplies.list(answer.get(1)).forEach((name) -> this.names.add((byte[]) name));
			return next.equals("0") ? CompletableFuture.completedStage(null) : page(server, next);
		});
	}

}
