package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

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
	 * @param writes writes the commands
	 * @param pending the calls, which do not wait for replicas
	 */
	static List<RedisCommand<byte[], byte[], ?>> of(GatheredWrites writes, List<PendingScript> pending) {
		List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>(pending.size());
		for (PendingScript script : pending) {
			if (script.call().send()) {
				commands.add(command(writes, script, false));
			}
		}
		return commands;
	}

	private static ScriptCommand command(GatheredWrites writes, PendingScript script, boolean inFull) {
		return command(writes, script, inFull, null, (unknown) -> writes.send(command(writes, unknown, true)));
	}

	/**
	 * Return the command of a call.
	 * @param writes learns from the command which thread writes it
	 * @param script the script
	 * @param inFull whether it is sent in full
	 * @param wait the wait for replicas behind it, if its answer is part of the result
	 * @param unknown sends the script again, in full, if the server does not know it
	 */
	static ScriptCommand command(GatheredWrites writes, PendingScript script, boolean inFull,
			@Nullable AcksCommand wait, Consumer<PendingScript> unknown) {
		ScriptCall call = script.script();
		CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(inFull ? call.script().source() : call.script().sha1())
			.add(call.keys().size())
			.addKeys(call.keys())
			.addValues(call.arguments());
		ScriptCommand command = new ScriptCommand(inFull ? CommandType.EVAL : CommandType.EVALSHA, args, writes,
				(answer) -> answered(script, answer, wait), (fault) -> {
					if (!inFull && !script.call().isEnded() && RedisFaults.isScriptUnknown(fault)) {
						// The server has not run the script, so this is still the same
						// attempt.
						unknown.accept(script);
					}
					else {
						script.failBy(fault);
						drop(wait, script);
					}
				});
		script.call().onTimeout(() -> {
			command.cancel();
			drop(wait, script);
		});
		return command;
	}

	private static void drop(@Nullable AcksCommand wait, PendingScript script) {
		if (wait != null) {
			wait.dropFor(script.call());
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
