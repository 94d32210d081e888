package io.distributedlock.backend.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;

/**
 * A wait for replicas, which counts what its own connection has written. Lettuce sends it
 * again over the next connection when one breaks, perhaps to another server, whose
 * replicas have nothing to do with that: its answer says nothing then.
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
