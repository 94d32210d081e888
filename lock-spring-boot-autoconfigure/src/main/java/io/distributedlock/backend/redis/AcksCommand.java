package io.distributedlock.backend.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;

/**
 * Waits for replicas to acknowledge the writes of its own connection. When a connection
 * breaks, Lettuce sends the command again over the next one, perhaps to another server.
 * The answer then says nothing about these writes.
 */
final class AcksCommand extends AsyncCommand<byte[], byte[], Long> {

	// Written by the driver's thread, which completes the command, too.
	private volatile int sent;

	AcksCommand(CommandArgs<byte[], byte[]> args) {
		super(new Command<>(CommandType.WAIT, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args));
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
