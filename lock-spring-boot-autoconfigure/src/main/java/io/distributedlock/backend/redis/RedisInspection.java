package io.distributedlock.backend.redis;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.backend.scan.KeyBatch;
import io.distributedlock.backend.scan.KeyScan;
import io.distributedlock.backend.scan.ScannedPage;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockPage;

/**
 * Finds the holder of a lock, and lists locks.
 */
final class RedisInspection {

	private final RedisLink link;

	private final RedisRequests requests;

	private final LeaseCommands commands;

	private final EvictionPolicyCheck evictionPolicy;

	private final LockClock clock;

	RedisInspection(RedisLink link, RedisRequests requests, LeaseCommands commands, EvictionPolicyCheck evictionPolicy,
			LockClock clock) {
		this.link = link;
		this.requests = requests;
		this.commands = commands;
		this.evictionPolicy = evictionPolicy;
		this.clock = clock;
	}

	/**
	 * Find the holder of a key. The check at startup calls this first. It therefore also
	 * waits for the look at the eviction policy, which determines the traits.
	 */
	CompletionStage<Optional<LockInfo>> find(String key) {
		return this.commands.ready()
			.thenCombine(this.evictionPolicy.done(), (ready, checked) -> checked)
			.thenCombine(this.link.run(this.requests.find(key), this.requests.callTimeout()), (checked, reply) -> reply)
			.thenCompose((reply) -> describe(List.of(key), List.of(reply)))
			.thenApply((holders) -> holders.stream().min(Comparator.comparingLong(LockInfo::fencingToken)));
	}

	/**
	 * Describe the holders of keys. The members of groups take another script, so that
	 * the one for all other locks needs none of their keys.
	 * @param keys the keys
	 * @param replies what was found under their names
	 */
	private CompletionStage<List<LockInfo>> describe(List<String> keys, List<List<Object>> replies) {
		List<RedisGroup> groups = IntStream.range(0, keys.size())
			.mapToObj((i) -> RedisGroup.of(keys.get(i), replies.get(i)))
			.flatMap(Optional::stream)
			.toList();
		List<LockInfo> others = IntStream.range(0, keys.size())
			.filter((i) -> RedisGroup.of(keys.get(i), replies.get(i)).isEmpty())
			.mapToObj((i) -> info(keys.get(i), replies.get(i)))
			.flatMap(Optional::stream)
			.toList();
		if (groups.isEmpty()) {
			return CompletableFuture.completedStage(others);
		}
		List<ScriptCall> calls = groups.stream()
			.map((group) -> this.requests.groups().find(group.key(), group.value()))
			.toList();
		return ManyAnswers.join(this.link.runAll(calls, this.requests.callTimeout()).stream())
			.thenApply((members) -> Stream
				.concat(others.stream(),
						IntStream.range(0, groups.size()).boxed().flatMap((i) -> groups.get(i).members(members.get(i))))
				.toList());
	}

	CompletionStage<LockPage> list(@Nullable String next, int limit) {
		CallDeadline deadline = CallDeadline.in(this.requests.callTimeout(), this.clock);
		return this.link.primaries(this.requests.keys())
			.thenCompose((primaries) -> ScannedPage.read(new PrimariesScan(primaries), next, limit, deadline));
	}

	/**
	 * Put the primaries into an order that all pages share. Drivers know them in any
	 * order.
	 */
	private static List<List<byte[]>> sorted(List<List<byte[]>> primaries) {
		return primaries.stream().sorted(Comparator.comparing((keys) -> keys.get(0), Arrays::compare)).toList();
	}

	private static Optional<LockInfo> info(String key, List<Object> reply) {
		if (reply.isEmpty()) {
			return Optional.empty();
		}
		StoredTokens tokens = StoredTokens.read(ScriptReplies.text(reply.get(2)));
		long now = ScriptReplies.number(reply.get(3)) * 1_000_000 + ScriptReplies.number(reply.get(4));
		return Optional.of(new LockInfo(key, instance(ScriptReplies.text(reply.get(0))), LockMode.EXCLUSIVE,
				tokens.last(), tokens.heldFor(now), ScriptReplies.duration(ScriptReplies.number(reply.get(1)))));
	}

	/**
	 * Return the instance that a lock or a member names, or an empty string.
	 */
	static String instance(String value) {
		int bar = value.indexOf('|');
		return (bar >= 0) ? value.substring(bar + 1) : "";
	}

	/**
	 * Walks one primary after the other.
	 */
	private final class PrimariesScan implements KeyScan {

		private final List<List<byte[]>> primaries;

		PrimariesScan(List<List<byte[]>> primaries) {
			this.primaries = sorted(primaries);
		}

		@Override
		public int servers() {
			return this.primaries.size();
		}

		@Override
		public CompletionStage<KeyBatch> scan(int server, String cursor, int count) {
			RedisRequests requests = RedisInspection.this.requests;
			return RedisInspection.this.link
				.run(requests.scan(this.primaries.get(server), cursor, count), requests.callTimeout())
				.thenApply(requests.keys()::batch);
		}

		@Override
		public CompletionStage<List<LockInfo>> describe(int server, List<String> keys) {
			RedisRequests requests = RedisInspection.this.requests;
			return ManyAnswers
				.join(RedisInspection.this.link
					.runAll(keys.stream().map(requests::find).toList(), requests.callTimeout())
					.stream())
				.thenCompose((replies) -> RedisInspection.this.describe(keys, replies));
		}

	}

}
