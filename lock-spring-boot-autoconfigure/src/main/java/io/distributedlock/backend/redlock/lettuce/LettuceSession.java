package io.distributedlock.backend.redlock.lettuce;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandKeyword;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.backend.redlock.NodeAnswer;
import io.distributedlock.backend.redlock.NodeHighWaterMark;
import io.distributedlock.backend.redlock.NodeHolder;
import io.distributedlock.backend.redlock.NodeIdentity;
import io.distributedlock.backend.redlock.NodeRefusedException;
import io.distributedlock.backend.redlock.NodeSession;
import io.distributedlock.backend.redlock.NodeVote;
import io.distributedlock.backend.redlock.UnknownFormatException;

/**
 * A session over one connection of Lettuce that does not reconnect. Each call is an
 * EVALSHA; the scripts are loaded once, after INFO.
 */
final class LettuceSession implements NodeSession, RedisConnectionStateListener {

	private static final String UNKNOWN_FORM = "UNKNOWNFORM ";

	private final String name;

	private final String user;

	private final Runnable closer;

	private final NodeScripts scripts;

	private final CommandOrder order;

	private final Set<AsyncCommand<byte[], byte[], ?>> underWay = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	// Set before the session is handed out.
	private volatile @Nullable NodeIdentity identity;

	private volatile Consumer<NodeRefusedException> refusals = (refusal) -> {
	};

	LettuceSession(String name, String user, StatefulRedisConnection<byte[], byte[]> wire, NodeScripts scripts,
			Executor elsewhere, Runnable closer) {
		this.name = name;
		this.user = user;
		this.closer = closer;
		this.scripts = scripts;
		this.order = new CommandOrder(wire, elsewhere);
		wire.addListener(this);
		if (!wire.isOpen()) {
			ended();
		}
	}

	/**
	 * Ask who the node is, and load the scripts after that.
	 */
	CompletionStage<NodeSession> open() {
		return this.<byte[]>send(CommandType.INFO, new ValueOutput<>(ByteArrayCodec.INSTANCE), args())
			.thenCompose((info) -> {
				this.identity = NodeReplies.identity(new String(info, StandardCharsets.UTF_8));
				List<CompletableFuture<?>> loaded = new ArrayList<>();
				for (LuaScript script : NodeScripts.ALL) {
					loaded.add(send(CommandType.SCRIPT, new StatusOutput<>(ByteArrayCodec.INSTANCE),
							args().add(CommandKeyword.LOAD).add(script.source())));
				}
				return CompletableFuture.allOf(loaded.toArray(CompletableFuture[]::new)).thenApply((done) -> this);
			});
	}

	@Override
	public NodeIdentity identity() {
		NodeIdentity known = this.identity;
		if (known == null) {
			throw new IllegalStateException("INFO was not answered yet");
		}
		return known;
	}

	@Override
	public CompletionStage<NodeAnswer<NodeIdentity>> identify() {
		return ask(this.scripts.identify(), (answer) -> NodeReplies.identity(ScriptReplies.text(answer.get(0))));
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<String>>> state() {
		return ask(this.scripts.state(), NodeReplies::text);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> changeState(@Nullable String expected, String next,
			NodeHighWaterMark atLeast) {
		return ask(this.scripts.changeState(expected, next, atLeast), NodeReplies::isOne);
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<NodeHighWaterMark>>> highWaterMark(String state) {
		return ask(this.scripts.mark(state), NodeReplies::mark);
	}

	@Override
	public CompletionStage<NodeAnswer<NodeVote>> acquire(VoteRequest request) {
		return ask(this.scripts.acquire(request), NodeReplies::vote);
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<List<@Nullable Boolean>>>> renew(String state, List<HeldLock> locks) {
		return ask(this.scripts.renew(state, locks), NodeReplies::stood);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> reinstall(String state, HeldLock lock) {
		return ask(this.scripts.reinstall(state, lock), NodeReplies::isOne);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> release(ReleaseRequest release) {
		return ask(this.scripts.release(release), this::ended);
	}

	@Override
	public CompletionStage<NodeAnswer<Optional<NodeHolder>>> find(String key) {
		return ask(this.scripts.find(key), NodeReplies::holder);
	}

	@Override
	public CompletionStage<NodeAnswer<Boolean>> forceRelease(String key, long cooldownMillis) {
		return ask(this.scripts.forceRelease(key, cooldownMillis), this::ended);
	}

	/**
	 * Read whether a lock has ended. A node that does not let waiters be notified has
	 * ended it all the same.
	 */
	private boolean ended(List<?> answer) {
		if (answer.size() > 1) {
			String said = ScriptReplies.text(answer.get(1));
			NodeRefusals.find(this.user, this.scripts.prefix(), "PUBLISH", said).ifPresent(this.refusals);
		}
		return NodeReplies.isOne(answer);
	}

	@Override
	public void onRefusal(Consumer<NodeRefusedException> listener) {
		this.refusals = listener;
	}

	@Override
	public CompletionStage<List<String>> keys() {
		List<String> found = new ArrayList<>();
		return page("0", found).thenApply((done) -> found);
	}

	private CompletableFuture<Void> page(String cursor, List<String> found) {
		return run(this.scripts.page(cursor)).thenCompose((page) -> {
			ScriptReplies.list(page.get(1)).forEach((name) -> this.scripts.key((byte[]) name).ifPresent(found::add));
			String next = ScriptReplies.text(page.get(0));
			return next.equals("0") ? CompletableFuture.<Void>completedFuture(null) : page(next, found);
		});
	}

	private <T> CompletionStage<NodeAnswer<T>> ask(ScriptCall call, Function<List<?>, T> reader) {
		return run(call).thenApply((reply) -> NodeReplies.timed(reply, reader));
	}

	private CompletableFuture<List<Object>> run(ScriptCall call) {
		CompletableFuture<List<Object>> answer = send(CommandType.EVALSHA,
				new NestedMultiOutput<>(ByteArrayCodec.INSTANCE),
				args().add(call.script().sha1())
					.add(call.keys().size())
					.addKeys(call.keys())
					.addValues(call.arguments()));
		return answer.handle((reply, fault) -> {
			if (fault instanceof RedisNoScriptException) {
				// Perhaps it has restarted behind something that keeps connections.
				close();
			}
			if (fault != null) {
				throw new CompletionException(explain(call.script(), fault));
			}
			return reply;
		});
	}

	private Throwable explain(LuaScript script, Throwable fault) {
		String answer = String.valueOf(fault.getMessage());
		if (answer.startsWith(UNKNOWN_FORM)) {
			return new UnknownFormatException(answer.substring(UNKNOWN_FORM.length()));
		}
		if (answer.contains("WRONGTYPE")) {
			return new UnknownFormatException("a value of another type");
		}
		return NodeRefusals.find(this.user, this.scripts.prefix(), script, fault)
			.<Throwable>map((refusal) -> refusal)
			.orElse(fault);
	}

	private static CommandArgs<byte[], byte[]> args() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE);
	}

	private <T> CompletableFuture<T> send(CommandType type, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args) {
		AsyncCommand<byte[], byte[], T> command = new AsyncCommand<>(new Command<>(type, output, args));
		this.underWay.add(command);
		command.whenComplete((answer, fault) -> this.underWay.remove(command));
		if (this.end.isDone()) {
			command.completeExceptionally(gone());
		}
		else {
			this.order.send(command);
		}
		return command;
	}

	private LockUnavailableException gone() {
		return new LockUnavailableException("The connection to node " + this.name + " of the locks has ended");
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
		ended();
	}

	private void ended() {
		if (this.end.complete(null)) {
			this.underWay.forEach((command) -> command.completeExceptionally(gone()));
		}
	}

	@Override
	public void onEnd(Runnable listener) {
		this.end.thenRun(listener);
	}

	@Override
	public void close() {
		ended();
		this.closer.run();
	}

}
