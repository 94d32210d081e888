package io.distributedlock.backend.redlock.lettuce;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.backend.redlock.LeaseStanding;
import io.distributedlock.backend.redlock.NodeAnswer;
import io.distributedlock.backend.redlock.NodeHighWaterMark;
import io.distributedlock.backend.redlock.NodeHolder;
import io.distributedlock.backend.redlock.NodeIdentity;
import io.distributedlock.backend.redlock.NodeRefusedException;
import io.distributedlock.backend.redlock.NodeSession;
import io.distributedlock.backend.redlock.NodeVote;
import io.distributedlock.backend.redlock.lettuce.NodeCall.VoteTerms;
import io.distributedlock.backend.scan.KeyBatch;

/**
 * A session over one connection. Each call is an EVALSHA; the scripts are loaded once,
 * after INFO.
 */
final class LettuceSession implements NodeSession {

	private static final String NONE = "";

	private final NodeConnection connection;

	private final RedisKeys keys;

	private final byte[] state;

	private final byte[] marks;

	private final LettuceMembers members;

	private final NodeIdentity identity;

	private volatile Consumer<NodeRefusedException> refusals = (refusal) -> {
	};

	private LettuceSession(NodeConnection connection, RedisKeys keys, NodeIdentity identity) {
		this.connection = connection;
		this.keys = keys;
		this.state = keys.beside("redlock:state");
		this.marks = keys.beside("redlock:mark");
		this.members = new LettuceMembers(connection, keys, this.state, this.marks, this::checked);
		this.identity = identity;
	}

	/**
	 * Read the identity of the node, and load the scripts afterwards.
	 */
	static CompletionStage<NodeSession> open(NodeConnection connection, RedisKeys keys) {
		return connection
			.<byte[]>send(CommandType.INFO, new ValueOutput<>(ByteArrayCodec.INSTANCE), NodeConnection.args())
			.thenCompose((info) -> {
				NodeIdentity identity = NodeReplies.identity(new String(info, StandardCharsets.UTF_8));
				NodeSession session = new LettuceSession(connection, keys, identity);
				return CompletableFuture
					.allOf(NodeScripts.ALL.stream()
						.map((script) -> load(connection, script))
						.toArray(CompletableFuture[]::new))
					.thenApply((done) -> session);
			});
	}

	private static CompletableFuture<String> load(NodeConnection connection, LuaScript script) {
		return connection.send(CommandType.SCRIPT, new StatusOutput<>(ByteArrayCodec.INSTANCE),
				NodeConnection.args().add(CommandKeyword.LOAD).add(script.source()));
	}

	@Override
	public NodeIdentity identity() {
		return this.identity;
	}

	@Override
	public CompletionStage<NodeAnswer<NodeIdentity>> identify() {
		return ask((answer) -> NodeReplies.identity(ScriptReplies.text(answer.get(0))), NodeScripts.IDENTIFY,
				List.of());
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<String>>> state() {
		return ask(NodeReplies::text, NodeScripts.STATE, List.of(this.state));
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> changeState(@Nullable String expected, String next,
			NodeHighWaterMark atLeast) {
		return ask(NodeReplies::isOne, NodeScripts.CHANGE_STATE, List.of(this.state, this.marks),
				(expected != null) ? expected : NONE, next, atLeast.token(), atLeast.tick());
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<NodeHighWaterMark>>> highWaterMark(String expected) {
		return ask(NodeReplies::mark, NodeScripts.MARK, List.of(this.state, this.marks), expected);
	}

	@Override
	public CompletionStage<NodeAnswer<NodeVote>> acquire(VoteRequest request) {
		return run(NodeReplies::vote,
				NodeCall.vote(
						new VoteTerms(request.state(), request.floor(), request.tickFloor(), request.retentionMillis()),
						names(request.keys()), request.value(), request.ttlMillis(), request.first(),
						(long) request.span(), text(request.tick()), request.markMillis()));
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renew(String expected, List<HeldLock> locks) {
		List<byte[]> names = new ArrayList<>(2 * locks.size() + 1);
		List<Object> arguments = new ArrayList<>(3 * locks.size() + 1);
		arguments.add(expected);
		for (HeldLock lock : locks) {
			names.addAll(lockAndCounter(lock.key()));
			arguments.addAll(List.of(lock.value(), lock.ttlMillis(), lock.last()));
		}
		names.add(this.state);
		return ask(NodeReplies::standings, NodeScripts.RENEW, names, arguments.toArray());
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> reinstall(String expected, HeldLock lock) {
		List<byte[]> names = new ArrayList<>(lockAndCounter(lock.key()));
		names.add(this.state);
		return ask(NodeReplies::isOne, NodeScripts.REINSTALL, names, expected, lock.value(), lock.ttlMillis(),
				lock.last());
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> release(ReleaseRequest release) {
		return run(this::ended, NodeCall.release(names(release.keys()), release.value(), release.cooldownMillis(),
				text(release.withdrawnTick()), release.notifiesWaiters() ? this.keys.channel() : NONE));
	}

	@Override
	public CompletionStage<NodeAnswer<List<NodeHolder>>> find(String key) {
		return this.members.find(key);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> forceRelease(String key, long cooldownMillis) {
		return this.members.forceRelease(key, cooldownMillis);
	}

	@Override
	public CompletionStage<NodeAnswer<NodeVote>> enter(EntryRequest request) {
		return this.members.enter(request);
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<List<LeaseStanding>>>> renewMembers(String expected,
			List<HeldMember> held) {
		return this.members.renewMembers(expected, held);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> reinstallMember(String expected, HeldMember member,
			long attemptMillis) {
		return this.members.reinstallMember(expected, member, attemptMillis);
	}

	@Override
	public CompletionStage<NodeAnswer<LeaseStanding>> leave(ReleaseRequest release) {
		return this.members.leave(release);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> closeDoor(String key, String waiter, long millis) {
		return this.members.closeDoor(key, waiter, millis);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> openDoor(String key, String waiter, boolean notifiesWaiters) {
		return this.members.openDoor(key, waiter, notifiesWaiters);
	}

	private List<byte[]> names(List<String> locks) {
		if (locks.size() == 1) {
			return this.keys.all(locks.get(0));
		}
		return locks.stream().flatMap((key) -> this.keys.all(key).stream()).toList();
	}

	private List<byte[]> lockAndCounter(String key) {
		return this.keys.all(key).subList(0, 2);
	}

	private static Object text(@Nullable Long tick) {
		return (tick != null) ? tick : NONE;
	}

	/**
	 * Return whether a lock has ended.
	 */
	private boolean ended(List<?> answer) {
		return NodeReplies.isOne(checked(answer));
	}

	/**
	 * Report that a node refuses to notify waiters, if it does. It has done the rest all
	 * the same.
	 */
	private List<?> checked(List<?> answer) {
		if (answer.size() > 1) {
			String said = ScriptReplies.text(answer.get(1));
			this.connection.refusals().find("PUBLISH", said).ifPresent(this.refusals);
		}
		return answer;
	}

	@Override
	public void onRefusal(Consumer<NodeRefusedException> listener) {
		this.refusals = listener;
	}

	@Override
	public CompletionStage<KeyBatch> scan(String cursor, int count) {
		return this.connection.run(ScriptCall.of(LuaScript.SCAN, List.of(), cursor, this.keys.pattern(), count))
			.thenApply(this.keys::batch);
	}

	private <T> CompletionStage<NodeAnswer<T>> ask(Function<List<?>, T> reader, LuaScript script, List<byte[]> names,
			Object... arguments) {
		return this.connection.run(ScriptCall.of(script, names, arguments))
			.thenApply((reply) -> NodeReplies.timed(reply, reader));
	}

	private <T> CompletionStage<NodeAnswer<T>> run(Function<List<?>, T> reader, NodeCall call) {
		return this.connection.run(call, this::batch)
			.thenApply((said) -> new NodeAnswer<>(reader.apply(said.value()), said.micros()));
	}

	private NodeCallBatch batch() {
		return new NodeCallBatch(this.state, this.marks);
	}

	@Override
	public void onEnd(Runnable listener) {
		this.connection.onEnd(listener);
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
