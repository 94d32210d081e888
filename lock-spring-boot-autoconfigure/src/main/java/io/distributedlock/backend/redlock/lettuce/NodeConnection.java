package io.distributedlock.backend.redlock.lettuce;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redlock.NodeAnswer;
import io.distributedlock.backend.redlock.UnknownFormatException;

/**
 * One connection of Lettuce, which does not reconnect. Calls under way fail when it ends.
 */
final class NodeConnection implements RedisConnectionStateListener {

	private static final String UNKNOWN_FORM = "UNKNOWNFORM ";

	private final String name;

	private final NodeRefusals refusals;

	private final Runnable closer;

	private final CommandOrder order;

	private final Set<AsyncCommand<byte[], byte[], ?>> underWay = ConcurrentHashMap.newKeySet();

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	/**
	 * Create a connection.
	 * @param name the name of the node
	 * @param refusals finds out what the node refuses
	 * @param wire the connection of the driver
	 * @param elsewhere a thread that reads from no connection
	 * @param closer closes the connection of the driver
	 */
	NodeConnection(String name, NodeRefusals refusals, StatefulRedisConnection<byte[], byte[]> wire, Executor elsewhere,
			Runnable closer) {
		this.name = name;
		this.refusals = refusals;
		this.closer = closer;
		this.order = new CommandOrder(wire, elsewhere);
		wire.addListener(this);
		if (!wire.isOpen()) {
			ended();
		}
	}

	NodeRefusals refusals() {
		return this.refusals;
	}

	/**
	 * Run a script that was loaded.
	 */
	CompletableFuture<List<Object>> run(ScriptCall call) {
		CompletableFuture<List<Object>> answer = send(CommandType.EVALSHA,
				new NestedMultiOutput<>(ByteArrayCodec.INSTANCE),
				args().add(call.script().sha1())
					.add(call.keys().size())
					.addKeys(call.keys())
					.addValues(call.arguments()));
		return answer.handle((reply, fault) -> {
			if (fault instanceof RedisNoScriptException) {
				// The node may have restarted behind a proxy that keeps connections.
				close();
			}
			if (fault != null) {
				throw new CompletionException(explain(call.script(), fault));
			}
			return reply;
		});
	}

	/**
	 * Make a call, together with others that were made just before if they are not
	 * written yet.
	 */
	CompletableFuture<NodeAnswer<List<?>>> run(NodeCall call, Supplier<NodeCallBatch> batches) {
		if (this.order.join(call)) {
			return call.answer();
		}
		NodeCallBatch batch = batches.get();
		batch.add(call);
		send(batch, batch).whenComplete((reply, fault) -> {
			if (fault == null) {
				try {
					batch.answered(reply, (error) -> explain(NodeScripts.CALLS, error));
				}
				catch (RuntimeException ex) {
					batch.failed(ex);
				}
				return;
			}
			if (fault instanceof RedisNoScriptException) {
				// As in the run of other scripts.
				close();
			}
			batch.failed(explain(batch.script(), fault));
		});
		return call.answer();
	}

	Throwable explain(LuaScript script, Throwable fault) {
		String answer = String.valueOf(fault.getMessage());
		if (answer.startsWith(UNKNOWN_FORM)) {
			return new UnknownFormatException(answer.substring(UNKNOWN_FORM.length()));
		}
		if (answer.contains("WRONGTYPE")) {
			return new UnknownFormatException("a value of another type");
		}
		return this.refusals.find(script, fault).<Throwable>map((refusal) -> refusal).orElse(fault);
	}

	static CommandArgs<byte[], byte[]> args() {
		return new CommandArgs<>(ByteArrayCodec.INSTANCE);
	}

	<T> CompletableFuture<T> send(CommandType type, CommandOutput<byte[], byte[], T> output,
			CommandArgs<byte[], byte[]> args) {
		return send(new Command<>(type, output, args), null);
	}

	private <T> CompletableFuture<T> send(Command<byte[], byte[], T> plain, @Nullable NodeCallBatch batch) {
		AsyncCommand<byte[], byte[], T> command = new AsyncCommand<>(plain);
		this.underWay.add(command);
		command.whenComplete((answer, fault) -> this.underWay.remove(command));
		if (this.end.isDone()) {
			command.completeExceptionally(gone());
		}
		else {
			this.order.send(command, batch);
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

	/**
	 * Run a listener when the connection has ended, at once if it has already.
	 */
	void onEnd(Runnable listener) {
		this.end.thenRun(listener);
	}

	void close() {
		ended();
		this.closer.run();
	}

}
