package io.distributedlock.benchmarks.redis;

import java.util.UUID;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.AsynchronousSide;

/**
 * Two scripts by one shared connection of Lettuce: one takes a free lock and counts a
 * token, one compares and deletes.
 */
final class BareRedis implements AsynchronousSide {

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	private final RedisCommands<String, String> commands;

	private final String acquire;

	private final String release;

	BareRedis(Address address) {
		this.client = RedisClient.create(RedisURI.create("127.0.0.1", address.port()));
		this.connection = this.client.connect();
		this.commands = this.connection.sync();
		this.acquire = this.commands.scriptLoad(BareScripts.ACQUIRE);
		this.release = this.commands.scriptLoad(BareScripts.RELEASE);
	}

	@Override
	public Held acquire(String key) {
		String[] lock = { "bare:" + key, "bare:" + key + ":token" };
		String owner = UUID.randomUUID().toString();
		while (this.commands.<Long>evalsha(this.acquire, ScriptOutputType.INTEGER, lock, owner, "30000") == 0) {
			Thread.onSpinWait();
		}
		return () -> this.commands.evalsha(this.release, ScriptOutputType.INTEGER, new String[] { lock[0] }, owner);
	}

	@Override
	public CompletionStage<AsynchronousHeld> acquireAsync(String key) {
		RedisAsyncCommands<String, String> async = this.connection.async();
		String[] lock = { "bare:" + key, "bare:" + key + ":token" };
		String owner = UUID.randomUUID().toString();
		return async.<Long>evalsha(this.acquire, ScriptOutputType.INTEGER, lock, owner, "30000").thenApply((token) -> {
			if (token == 0) {
				throw new IllegalStateException("Not free: " + key);
			}
			return () -> async.evalsha(this.release, ScriptOutputType.INTEGER, new String[] { lock[0] }, owner);
		});
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

}
