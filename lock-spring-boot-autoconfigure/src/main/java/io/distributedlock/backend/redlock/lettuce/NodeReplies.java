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

import io.distributedlock.LockMode;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.backend.redlock.LeaseStanding;
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

	private static final Pattern COUNTER = Pattern.compile("(\\d{1,16})(?:/(\\d{1,4}))?(?:[|@].*)?");

	private static final List<LockMode> GROUPS = List.of(LockMode.SHARED, LockMode.PERMITS);

	/**
	 * How many digits of an owner id nodes name.
	 */
	private static final int DIGITS = 16;

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
					ScriptReplies.text(answer.get(3)), (int) ScriptReplies.number(answer.get(4)));
			case 1 -> (answer.size() > 1) ? new NodeVote.Ack(members(answer.get(1))) : new NodeVote.Ack();
			case 2 -> new NodeVote.Done(ScriptReplies.number(answer.get(1)), ScriptReplies.text(answer.get(2)));
			case 3 -> new NodeVote.Low(ScriptReplies.number(answer.get(1)), (int) ScriptReplies.number(answer.get(2)));
			case 4 -> new NodeVote.Quarantined();
			case 5 -> new NodeVote.Abstained();
			case 6 -> new NodeVote.Unknown(ScriptReplies.text(answer.get(1)));
			case 8 ->
				new NodeVote.Full(rest(answer.get(1)), ScriptReplies.number(answer.get(2)), members(answer.get(3)));
			default -> throw new IllegalStateException("A node has answered " + kind + " to an attempt");
		};
	}

	/**
	 * Read the first digits of owner ids, which follow each other.
	 */
	private static List<String> members(@Nullable Object digits) {
		String all = ScriptReplies.text(digits);
		List<String> members = new ArrayList<>(all.length() / DIGITS);
		for (int i = 0; i + DIGITS <= all.length(); i += DIGITS) {
			members.add(all.substring(i, i + DIGITS));
		}
		return members;
	}

	/**
	 * Read which leases stand.
	 */
	static Optional<List<LeaseStanding>> standings(List<?> answer) {
		return answer.isEmpty() ? Optional.empty() : Optional.of(answer.stream().map(NodeReplies::standing).toList());
	}

	/**
	 * Read whether a lease stands.
	 */
	static LeaseStanding standing(@Nullable Object answer) {
		int kind = (int) ScriptReplies.number(answer);
		return switch (kind) {
			case 0 -> LeaseStanding.GONE;
			case 1 -> LeaseStanding.STANDS;
			case 2 -> LeaseStanding.UNKNOWN;
			case 3 -> LeaseStanding.TOO_NEW;
			case 4 -> LeaseStanding.CONTENDED;
			default -> throw new IllegalStateException("A node has answered " + kind + " for a lease");
		};
	}

	/**
	 * Read the remaining TTL of a lock; negative if it never expires.
	 */
	private static long rest(@Nullable Object answer) {
		long millis = ScriptReplies.number(answer);
		return (millis == -1) ? millis : Math.min(LONGEST_REST, Math.max(0, millis));
	}

	/**
	 * Read the exclusive holder of a lock, or the members of its group.
	 */
	static List<NodeHolder> holders(List<?> answer) {
		if (answer.isEmpty()) {
			return List.of();
		}
		String value = ScriptReplies.text(answer.get(0));
		return GROUPS.stream()
			.filter((mode) -> NodeHolder.kind(mode).equals(value))
			.findAny()
			.map((mode) -> members(mode, answer))
			.orElseGet(() -> List.of(holder(LockMode.EXCLUSIVE, answer)));
	}

	private static List<NodeHolder> members(LockMode mode, List<?> answer) {
		List<NodeHolder> members = new ArrayList<>();
		for (int i = 1; i + 3 <= answer.size(); i += 3) {
			members.add(holder(mode, answer.subList(i, i + 3)));
		}
		return members;
	}

	private static NodeHolder holder(LockMode mode, List<?> answer) {
		Matcher counter = COUNTER.matcher(ScriptReplies.text(answer.get(2)));
		long last = counter.matches() ? Long.parseLong(counter.group(1)) : 0;
		int count = (counter.matches() && counter.group(2) != null) ? Integer.parseInt(counter.group(2)) : 1;
		return new NodeHolder(mode, ScriptReplies.text(answer.get(0)), rest(answer.get(1)), last, count);
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
