package io.distributedlock.backend.redis;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;

/**
 * Runs a script, and passes its end on without a future of its own, because the call that
 * it belongs to has one.
 */
final class ScriptCommand extends Command<byte[], byte[], List<Object>> {

	private final GatheredWrites writes;

	private final Consumer<List<Object>> onAnswer;

	private final Consumer<Throwable> onFault;

	/**
	 * Create the command.
	 * @param type whether the script is sent in full
	 * @param args its digest or source, its keys and arguments
	 * @param writes learns from the command which thread writes it
	 * @param onAnswer receives the answer
	 * @param onFault receives the reason if there is none
	 */
	ScriptCommand(CommandType type, CommandArgs<byte[], byte[]> args, GatheredWrites writes,
			Consumer<List<Object>> onAnswer, Consumer<Throwable> onFault) {
		super(type, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args);
		this.writes = writes;
		this.onAnswer = onAnswer;
		this.onFault = onFault;
	}

	@Override
	public void encode(ByteBuf buffer) {
		this.writes.writing();
		super.encode(buffer);
	}

	@Override
	public void complete() {
		if (isDone()) {
			return;
		}
		super.complete();
		if (getOutput().hasError()) {
			this.onFault.accept(new RedisCommandExecutionException(getOutput().getError()));
		}
		else {
			this.onAnswer.accept(getOutput().get());
		}
	}

	@Override
	public boolean completeExceptionally(Throwable fault) {
		if (isDone()) {
			return false;
		}
		super.completeExceptionally(fault);
		this.onFault.accept(fault);
		return true;
	}

	@Override
	public void cancel() {
		if (!isDone()) {
			super.cancel();
			this.onFault.accept(new CancellationException());
		}
	}

}
