package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SharedWaits}.
 */
class SharedWaitsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(6);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final List<List<RedisCommand<byte[], byte[], ?>>> written = new ArrayList<>();

	private final SharedWaits waits = new SharedWaits(new GatheredWrites(this.written::add, () -> null));

	@Test
	void scriptThatComesAloneIsSentAtOnceWithAWaitBehindIt() {
		PendingScript script = send();

		assertThat(types(0)).containsExactly(CommandType.EVALSHA, CommandType.WAIT);
		answer(0, 0);
		assertThat(script.call().result()).isNotDone();
		acknowledge(0, 1);
		assertThat(acks(script)).isOne();
	}

	@Test
	void scriptsThatComeDuringAWaitShareTheNextOne() {
		send();
		PendingScript second = send();
		PendingScript third = send();
		assertThat(this.written).hasSize(1);

		answer(0, 0);
		acknowledge(0, 1);

		assertThat(types(1)).containsExactly(CommandType.EVALSHA, CommandType.EVALSHA, CommandType.WAIT);
		answer(1, 0);
		answer(1, 1);
		acknowledge(1, 2);
		assertThat(acks(second)).isEqualTo(2);
		assertThat(acks(third)).isEqualTo(2);
	}

	@Test
	void scriptThatIsUnknownIsSentInFullBeforeTheScriptsThatHaveGathered() {
		PendingScript first = send();
		send();

		unknown(0, 0);

		assertThat(wait(0).isCancelled()).isTrue();
		assertThat(types(1)).containsExactly(CommandType.EVAL, CommandType.EVALSHA, CommandType.WAIT);
		answer(1, 0);
		acknowledge(1, 1);
		assertThat(acks(first)).isOne();
	}

	@Test
	void waitThatAnotherCallNeedsGoesOnIfAScriptIsUnknown() {
		this.waits.send(List.of(script(), script()));

		unknown(0, 0);

		assertThat(wait(0).isCancelled()).isFalse();
		answer(0, 1);
		acknowledge(0, 1);
		assertThat(types(1)).containsExactly(CommandType.EVAL, CommandType.WAIT);
	}

	@Test
	void waitIsCancelledOnceAllItsCallsHaveTimedOut() {
		send();
		answer(0, 0);
		assertThat(wait(0).isCancelled()).isFalse();

		this.clock.advance(TIMEOUT);

		assertThat(wait(0).isCancelled()).isTrue();
	}

	@Test
	void scriptThatTimesOutBeforeItIsSentIsNeverSent() {
		send();
		this.clock.advance(TIMEOUT.dividedBy(2));
		PendingScript late = PendingScript.begin(call(), Duration.ofSeconds(1), new ScriptFaults(null, "lock:"),
				this.clock);
		this.waits.send(List.of(late));

		this.clock.advance(Duration.ofSeconds(1));
		answer(0, 0);
		acknowledge(0, 1);

		assertThat(this.written).hasSize(1);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(late.call().result()::join)
			.withCauseInstanceOf(NotSentException.class);
		send();
		assertThat(this.written).hasSize(2);
	}

	private PendingScript send() {
		PendingScript script = script();
		this.waits.send(List.of(script));
		return script;
	}

	private PendingScript script() {
		return PendingScript.begin(call(), TIMEOUT, new ScriptFaults(null, "lock:"), this.clock);
	}

	private static ScriptCall call() {
		return ScriptCall.of(RedisScripts.RENEW, List.of()).with(new ScriptCall.Acks(1, TIMEOUT.dividedBy(3)));
	}

	private List<CommandType> types(int write) {
		return this.written.get(write).stream().map((command) -> (CommandType) command.getType()).toList();
	}

	private AcksCommand wait(int write) {
		List<RedisCommand<byte[], byte[], ?>> commands = this.written.get(write);
		return (AcksCommand) commands.get(commands.size() - 1);
	}

	private void answer(int write, int index) {
		RedisCommand<byte[], byte[], ?> command = this.written.get(write).get(index);
		command.getOutput().multi(1);
		command.getOutput().set(1);
		command.complete();
	}

	private void unknown(int write, int index) {
		RedisCommand<byte[], byte[], ?> command = this.written.get(write).get(index);
		command.getOutput().setError("NOSCRIPT No matching script. Please use EVAL.");
		command.complete();
	}

	private void acknowledge(int write, long number) {
		wait(write).getOutput().set(number);
		wait(write).complete();
	}

	private static long acks(PendingScript script) {
		List<Object> reply = script.call().result().join();
		return ScriptReplies.number(reply.get(reply.size() - 1));
	}

}
