package io.distributedlock.backend.redlock.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.backend.redlock.NodeAnswer;
import io.distributedlock.backend.redlock.lettuce.NodeCall.VoteTerms;

/**
 * Calls that are sent as one script. The driver encodes the command when the thread of
 * the connection comes to write it. Until then further calls join it, so that calls
 * gather while that thread is busy, and none waits for others.
 */
final class NodeCallBatch extends Command<byte[], byte[], List<Object>> {

	/**
	 * A node does nothing else while it runs a script.
	 */
	private static final int MOST = 32;

	private static final int ERROR = 7;

	/**
	 * How many names a call has for each lock.
	 */
	private static final int KEYS_OF_ONE = 3;

	private final byte[] state;

	private final byte[] marks;

	// Guarded by the monitor until the batch is closed, and not changed afterwards.
	private final List<NodeCall> calls = new ArrayList<>(4);

	// All below is guarded by the monitor.
	private @Nullable VoteTerms terms;

	private boolean ofSeveral;

	private boolean closed;

	/**
	 * Create a batch.
	 * @param state the name of the node's state
	 * @param marks the name of its high-water marks
	 */
	NodeCallBatch(byte[] state, byte[] marks) {
		super(CommandType.EVALSHA, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE));
		this.state = state;
		this.marks = marks;
	}

	/**
	 * Add a call after the others.
	 * @return {@code false} if it can't be sent with them
	 */
	synchronized boolean add(NodeCall call) {
		VoteTerms wanted = call.shared();
		if (this.closed || this.calls.size() == MOST || !this.calls.isEmpty() && (isOfSeveral(call) || this.ofSeveral)
				|| wanted != null && this.terms != null && !wanted.equals(this.terms)) {
			return false;
		}
		if (wanted != null) {
			this.terms = wanted;
		}
		this.ofSeveral = isOfSeveral(call);
		this.calls.add(call);
		return true;
	}

	/**
	 * Return whether a call concerns several locks. It is sent alone.
	 */
	private static boolean isOfSeveral(NodeCall call) {
		return call.keys().size() > KEYS_OF_ONE;
	}

	/**
	 * Add no more calls.
	 * @return the calls
	 */
	synchronized List<NodeCall> close() {
		this.closed = true;
		return this.calls;
	}

	/**
	 * Return the script that runs, once the batch is closed.
	 */
	LuaScript script() {
		List<NodeCall> all = close();
		return (all.size() == 1) ? all.get(0).script() : NodeScripts.CALLS;
	}

	@Override
	public void encode(ByteBuf buffer) {
		CommandArgs<byte[], byte[]> encoded = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		List<NodeCall> all = close();
		encoded.add(script().sha1());
		if (all.size() == 1) {
			encodeOne(all.get(0), encoded);
		}
		else {
			encodeAll(all, encoded);
		}
		this.args = encoded;
		super.encode(buffer);
	}

	private void encodeOne(NodeCall call, CommandArgs<byte[], byte[]> encoded) {
		boolean vote = call.shared() != null;
		encoded.add((vote ? 2 : 0) + call.keys().size());
		if (vote) {
			encoded.addKey(this.state).addKey(this.marks);
		}
		encoded.addKeys(call.keys());
		if (vote) {
			encodeTerms(call.shared(), encoded);
		}
		encodeArguments(call, encoded);
	}

	private void encodeAll(List<NodeCall> all, CommandArgs<byte[], byte[]> encoded) {
		encoded.add(2 + KEYS_OF_ONE * all.size()).addKey(this.state).addKey(this.marks);
		all.forEach((call) -> encoded.addKeys(call.keys()));
		VoteTerms shared;
		synchronized (this) {
			shared = this.terms;
		}
		encodeTerms(shared, encoded);
		for (NodeCall call : all) {
			encoded.add(call.script().name());
			encodeArguments(call, encoded);
		}
	}

	private static void encodeTerms(@Nullable VoteTerms shared, CommandArgs<byte[], byte[]> encoded) {
		VoteTerms terms = (shared != null) ? shared : VoteTerms.NONE;
		encoded.add(terms.state()).add(terms.floor()).add(terms.tickFloor()).add(terms.retentionMillis());
	}

	private static void encodeArguments(NodeCall call, CommandArgs<byte[], byte[]> encoded) {
		for (Object argument : call.arguments()) {
			if (argument instanceof Long number) {
				encoded.add(number);
			}
			else if (argument instanceof byte[] bytes) {
				encoded.add(bytes);
			}
			else {
				encoded.add((String) argument);
			}
		}
	}

	/**
	 * Give each call its answer.
	 * @param explain explains the error of one call among several
	 */
	void answered(List<Object> reply, UnaryOperator<Throwable> explain) {
		List<NodeCall> all = close();
		if (reply.size() != all.size() + 1) {
			failed(new IllegalStateException(
					"A node has answered " + reply.size() + " values to " + all.size() + " calls"));
			return;
		}
		long micros = NodeReplies.micros(reply.get(0));
		for (int i = 0; i < all.size(); i++) {
			NodeCall call = all.get(i);
			Object said = reply.get(i + 1);
			List<?> answer = (said instanceof List<?> list) ? list : List.of(said);
			if (all.size() > 1 && answer.get(0) instanceof Long kind && kind == ERROR) {
				call.answer()
					.completeExceptionally(
							explain.apply(new RedisCommandExecutionException(ScriptReplies.text(answer.get(1)))));
			}
			else {
				call.answer().complete(new NodeAnswer<>(answer, micros));
			}
		}
	}

	/**
	 * Let all calls fail.
	 */
	void failed(Throwable fault) {
		close().forEach((call) -> call.answer().completeExceptionally(fault));
	}

}
