package io.distributedlock.backend.redlock.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.backend.redlock.NodeAnswer;
import io.distributedlock.backend.redlock.NodeHighWaterMark;
import io.distributedlock.backend.redlock.NodeHolder;
import io.distributedlock.backend.redlock.NodeIdentity;
import io.distributedlock.backend.redlock.NodeRefusedException;
import io.distributedlock.backend.redlock.NodeVote;

/**
 * Reads the replies of the scripts of {@link NodeScripts}.
 */
final class NodeReplies {

	private static final Pattern COUNTER = Pattern.compile("(\\d{1,16})(?:/(\\d{1,4}))?(?:\\|.*)?");

	/**
	 * The longest remaining TTL of a lock. A node with a wrong clock may report any.
	 */
	private static final long LONGEST_REST = TimeUnit.DAYS.toMillis(3650);

	// From 2255 on, doubles can't count single microseconds.
	private static final long LATEST_MICROS = 1L << 53;

	private NodeReplies() {
	}

	/**
	 * Read an answer together with the node's TIME.
	 */
	static <T> NodeAnswer<T> timed(List<Object> reply, Function<List<?>, T> reader) {
		long seconds = Math.min(LATEST_MICROS / 1_000_000, Math.max(0, ScriptReplies.number(reply.get(1))));
		long micros = seconds * 1_000_000 + ScriptReplies.number(reply.get(2));
		return new NodeAnswer<>(reader.apply(ScriptReplies.list(reply.get(0))), micros);
	}

	/**
	 * Read the node's TIME in microseconds.
	 */
	static long micros(@Nullable Object answer) {
		return Math.min(LATEST_MICROS, Math.max(0, ScriptReplies.number(answer)));
	}

	static boolean isOne(List<?> answer) {
		return ScriptReplies.number(answer.get(0)) == 1;
	}

	static Optional<String> text(List<?> answer) {
		return answer.isEmpty() ? Optional.empty() : Optional.of(ScriptReplies.text(answer.get(0)));
	}

	static Optional<NodeHighWaterMark> mark(List<?> answer) {
		return answer.isEmpty() ? Optional.empty() : Optional
			.of(new NodeHighWaterMark(ScriptReplies.number(answer.get(0)), ScriptReplies.number(answer.get(1))));
	}

	static NodeVote vote(List<?> answer) {
		int kind = (int) ScriptReplies.number(answer.get(0));
		return switch (kind) {
			case 0 -> new NodeVote.Busy(rest(answer.get(1)), ScriptReplies.number(answer.get(2)),
					ScriptReplies.text(answer.get(3)));
			case 1 -> new NodeVote.Ack();
			case 2 -> new NodeVote.Done(ScriptReplies.number(answer.get(1)), ScriptReplies.text(answer.get(2)));
			case 3 -> new NodeVote.Low(ScriptReplies.number(answer.get(1)));
			case 4 -> new NodeVote.Quarantined();
			case 5 -> new NodeVote.Abstained();
			case 6 -> new NodeVote.Unknown(ScriptReplies.text(answer.get(1)));
			default -> throw new IllegalStateException("A node has answered " + kind + " to an attempt");
		};
	}

	/**
	 * Read which leases stand; {@code null} for one with a counter of an unknown form.
	 */
	static Optional<List<@Nullable Boolean>> stood(List<?> answer) {
		if (answer.isEmpty()) {
			return Optional.empty();
		}
		List<@Nullable Boolean> stood = new ArrayList<>(answer.size());
		for (Object each : answer) {
			long said = ScriptReplies.number(each);
			stood.add((said <= 1) ? Boolean.valueOf(said == 1) : null);
		}
		return Optional.of(stood);
	}

	/**
	 * Read the remaining TTL of a lock; negative if it never expires.
	 */
	private static long rest(@Nullable Object answer) {
		long millis = ScriptReplies.number(answer);
		return (millis == -1) ? millis : Math.min(LONGEST_REST, Math.max(0, millis));
	}

	static Optional<NodeHolder> holder(List<?> answer) {
		if (answer.isEmpty()) {
			return Optional.empty();
		}
		Matcher counter = COUNTER.matcher(ScriptReplies.text(answer.get(2)));
		long last = counter.matches() ? Long.parseLong(counter.group(1)) : 0;
		int count = (counter.matches() && counter.group(2) != null) ? Integer.parseInt(counter.group(2)) : 1;
		return Optional.of(new NodeHolder(ScriptReplies.text(answer.get(0)), rest(answer.get(1)), last, count));
	}

	/**
	 * Read the identity of a node from INFO.
	 * @throws NodeRefusedException if it is not complete
	 */
	static NodeIdentity identity(String info) {
		Map<String, String> fields = info.lines()
			.filter((line) -> line.indexOf(':') > 0)
			.collect(Collectors.toMap((line) -> line.substring(0, line.indexOf(':')),
					(line) -> line.substring(line.indexOf(':') + 1).strip(), (first, second) -> second));
		String policy = fields.getOrDefault("maxmemory_policy", "noeviction");
		boolean bounded = !fields.getOrDefault("maxmemory", "0").equals("0");
		return new NodeIdentity(required(fields.get("run_id")), required(fields.get("master_replid")),
				!required(fields.get("role")).equals("master"),
				Integer.parseInt(fields.getOrDefault("connected_slaves", "0")),
				bounded && !policy.equals("noeviction"));
	}

	private static String required(@Nullable String value) {
		if (value == null || value.isEmpty() || value.indexOf(':') >= 0) {
			throw new NodeRefusedException("its INFO does not contain its identity (run_id, master_replid, role)",
					null);
		}
		return value;
	}

}
