package io.distributedlock.backend.redis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.redis.script.ScriptReplies;

/**
 * Finds the holder of a lock, and lists locks.
 */
final class RedisInspection {

	/**
	 * Maximum number of locks that are looked up together.
	 */
	private static final int PAGE = 500;

	/**
	 * The cursor of the first page. The last page returns it, too.
	 */
	private static final String FIRST = "0";

	private static final Pattern COUNTER = Pattern.compile("(\\d{7,16})(?:/(\\d{1,16}))?(?:\\|-?\\d+)?");

	private final RedisLink link;

	private final RedisRequests requests;

	private final LeaseCommands commands;

	private final EvictionPolicyCheck evictionPolicy;

	RedisInspection(RedisLink link, RedisRequests requests, LeaseCommands commands,
			EvictionPolicyCheck evictionPolicy) {
		this.link = link;
		this.requests = requests;
		this.commands = commands;
		this.evictionPolicy = evictionPolicy;
	}

	/**
	 * Find the holder of a key. The check at startup calls this first. It therefore also
	 * waits for the look at the eviction policy, which determines the traits.
	 */
	CompletionStage<Optional<LockInfo>> find(String key) {
		return this.commands.ready()
			.thenCombine(this.evictionPolicy.done(), (ready, checked) -> checked)
			.thenCombine(this.link.run(this.requests.find(key), this.requests.callTimeout()),
					(checked, reply) -> info(key, reply));
	}

	CompletionStage<List<LockInfo>> list() {
		return this.link.primaries(this.requests.keys()).thenCompose((primaries) -> {
			Set<String> keys = new LinkedHashSet<>();
			CompletionStage<?> scanned = CompletableFuture.completedStage(null);
			for (List<byte[]> primary : primaries) {
				scanned = scanned.thenCompose((before) -> scan(primary, FIRST, keys));
			}
			return scanned.thenCompose((all) -> ManyAnswers.inTurn(List.copyOf(keys), PAGE, this::list));
		});
	}

	private CompletionStage<?> scan(List<byte[]> primary, String cursor, Set<String> keys) {
		return this.link.run(this.requests.scan(primary, cursor), this.requests.callTimeout()).thenCompose((page) -> {
			ScriptReplies.list(page.get(1))
				.forEach((name) -> this.requests.keys().key((byte[]) name).ifPresent(keys::add));
			String next = ScriptReplies.text(page.get(0));
			return next.equals(FIRST) ? CompletableFuture.completedStage(null) : scan(primary, next, keys);
		});
	}

	private CompletionStage<List<LockInfo>> list(List<String> page) {
		return ManyAnswers
			.join(this.link.runAll(page.stream().map(this.requests::find).toList(), this.requests.callTimeout())
				.stream())
			.thenApply((replies) -> IntStream.range(0, page.size())
				.mapToObj((i) -> info(page.get(i), replies.get(i)))
				.flatMap(Optional::stream)
				.toList());
	}

	private static Optional<LockInfo> info(String key, List<Object> reply) {
		if (reply.isEmpty()) {
			return Optional.empty();
		}
		String value = ScriptReplies.text(reply.get(0));
		int bar = value.indexOf('|');
		long rest = ScriptReplies.number(reply.get(1));
		Matcher counter = COUNTER.matcher(ScriptReplies.text(reply.get(2)));
		long last = 0;
		long heldMicros = 0;
		if (counter.matches()) {
			last = Long.parseLong(counter.group(1));
			long count = (counter.group(2) != null) ? Long.parseLong(counter.group(2)) : 1;
			long now = ScriptReplies.number(reply.get(3)) * 1_000_000 + ScriptReplies.number(reply.get(4));
			// Tokens are microseconds, and may be a little ahead of the server's clock.
			heldMicros = Math.max(0, now - (last - count + 1));
		}
		return Optional.of(new LockInfo(key, (bar >= 0) ? value.substring(bar + 1) : "", LockMode.EXCLUSIVE, last,
				ScriptReplies.duration(heldMicros / 1000), ScriptReplies.duration(rest)));
	}

}
