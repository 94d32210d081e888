package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redis.script.ScriptCall;

/**
 * Encodes scripts as commands of Lettuce. The completion of a command ends its call.
 */
final class LettuceCommands {

	private LettuceCommands() {
	}

	/**
	 * Return the commands of those calls that have not timed out.
	 * @param wire the connection over which they are sent
	 * @param pending the calls
	 */
	static List<RedisCommand<byte[], byte[], ?>> of(LettuceWire wire, List<PendingScript> pending) {
		List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>(pending.size());
		for (PendingScript script : pending) {
			if (script.call().send()) {
				commands.addAll(commands(wire, script, false));
			}
		}
		return commands;
	}

	/**
	 * Return the script, and the wait for replicas that follows it.
	 */
	private static List<RedisCommand<byte[], byte[], ?>> commands(LettuceWire wire, PendingScript script,
			boolean inFull) {
		ScriptCall.Acks acks = script.script().acks();
		if (acks == null) {
			return List.of(command(wire, script, inFull, null));
		}
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE).add(acks.number())
			.add(acks.timeout().toMillis());
		AcksCommand wait = new AcksCommand(args);
		return List.of(command(wire, script, inFull, wait), wait);
	}

	private static ScriptCommand command(LettuceWire wire, PendingScript script, boolean inFull,
			@Nullable AcksCommand wait) {
		ScriptCall call = script.script();
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(inFull ? call.script().source() : call.script().sha1())
			.add(call.keys().size())
			.addKeys(call.keys())
			.addValues(call.arguments());
		ScriptCommand command = new ScriptCommand(inFull ? CommandType.EVAL : CommandType.EVALSHA, args, wire.writes(),
				(answer) -> answered(script, answer, wait), (fault) -> {
					cancel(wait);
					failed(wire, script, inFull, fault);
				});
		script.call().onTimeout(() -> {
			command.cancel();
			cancel(wait);
		});
		return command;
	}

	/**
	 * Cancel a wait that no script needs any more. Otherwise the driver would repeat it
	 * on the next connection, where it delays all later commands.
	 */
	private static void cancel(@Nullable AcksCommand wait) {
		if (wait != null) {
			wait.cancel();
		}
	}

	private static void answered(PendingScript script, List<Object> answer, @Nullable AcksCommand wait) {
		if (wait == null) {
			script.call().complete(answer);
		}
		else {
			wait.whenComplete(
					(number, missing) -> complete(script, answer, wait.isSentAgain() ? null : number, missing));
		}
	}

	private static void failed(LettuceWire wire, PendingScript script, boolean inFull, Throwable fault) {
		if (!inFull && !script.call().isEnded() && RedisFaults.isScriptUnknown(fault)) {
			// The server has not run the script, so this is still the same attempt.
			wire.writes().send(commands(wire, script, true));
		}
		else {
			script.failBy(fault);
		}
	}

	private static void complete(PendingScript script, List<Object> answer, @Nullable Long acks,
			@Nullable Throwable missing) {
		if (missing != null) {
			script.failBy(missing);
		}
		else if (acks == null) {
			script.call()
				.fail(new LockUnavailableException("The connection to the Redis of the locks was interrupted before"
						+ " replicas had acknowledged its writes"));
		}
		else {
			List<Object> all = new ArrayList<>(answer);
			all.add(acks);
			script.call().complete(all);
		}
	}

}
