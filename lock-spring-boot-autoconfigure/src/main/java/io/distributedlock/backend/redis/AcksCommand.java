package io.distributedlock.backend.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;

import io.distributedlock.backend.call.StoreCall;

/**
 * Waits for replicas to acknowledge the writes of its own connection. When a connection
 * breaks, Lettuce sends the command again over the next one, perhaps to another server.
 * The answer then says nothing about these writes.
 */
final class AcksCommand extends AsyncCommand<byte[], byte[], Long> {

	// Written by the driver's thread, which completes the command, too.
	private volatile int sent;

	private final Set<StoreCall<?>> calls = ConcurrentHashMap.newKeySet();

	/**
	 * Create the command.
	 * @param number the number of replicas to wait for
	 * @param millis how long to wait for them, in ms
	 * @param calls the calls that need the answer
	 */
	AcksCommand(int number, long millis, Set<StoreCall<?>> calls) {
		super(new Command<>(CommandType.WAIT, new IntegerOutput<>(ByteArrayCodec.INSTANCE),
				new CommandArgs<>(ByteArrayCodec.INSTANCE).add(number).add(millis)));
		this.calls.addAll(calls);
	}

	/**
	 * Record that a call does not need the answer any more. Without any call that does,
	 * the command is cancelled: the driver would send it again over the next connection,
	 * where it delays all later commands.
	 */
	void dropFor(StoreCall<?> call) {
		this.calls.remove(call);
		if (this.calls.isEmpty()) {
			cancel();
		}
	}

	@Override
	@SuppressWarnings("NonAtomicOperationOnVolatileField")
	public void encode(ByteBuf buffer) {
		this.sent++;
		super.encode(buffer);
	}

	boolean isSentAgain() {
		return this.sent > 1;
	}

}
