package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link GatheredWrites}.
 */
class GatheredWritesTests {

	private final List<List<RedisCommand<byte[], byte[], ?>>> written = new ArrayList<>();

	private final List<Runnable> tasks = new ArrayList<>();

	private Executor driver = this.tasks::add;

	private final GatheredWrites writes = new GatheredWrites(this.written::add, () -> this.driver);

	@Test
	void firstCommandIsWrittenByItsCallerBecauseTheDriverIsNotKnown() {
		RedisCommand<byte[], byte[], ?> first = command();

		this.writes.send(first);

		assertThat(this.written).containsExactly(List.of(first));
	}

	@Test
	void commandsThatComeWhileTheDriverIsBusyAreOneWriteInTheirOrder() {
		this.writes.writing();
		RedisCommand<byte[], byte[], ?> first = command();
		RedisCommand<byte[], byte[], ?> second = command();
		RedisCommand<byte[], byte[], ?> third = command();

		this.writes.send(first);
		this.writes.send(second);
		this.writes.send(third);
		assertThat(this.written).isEmpty();
		assertThat(this.tasks).hasSize(1);
		runTasks();

		assertThat(this.written).containsExactly(List.of(first, second, third));
	}

	@Test
	void commandAfterAWriteBeginsTheNextOne() {
		this.writes.writing();
		RedisCommand<byte[], byte[], ?> first = command();
		RedisCommand<byte[], byte[], ?> second = command();

		this.writes.send(first);
		runTasks();
		this.writes.send(second);
		runTasks();

		assertThat(this.written).containsExactly(List.of(first), List.of(second));
	}

	@Test
	void callerWritesIfTheDriverHasEnded() {
		this.driver = (task) -> {
			throw new RejectedExecutionException();
		};
		this.writes.writing();
		RedisCommand<byte[], byte[], ?> command = command();

		this.writes.send(command);

		assertThat(this.written).containsExactly(List.of(command));
	}

	@Test
	void failedWriteEndsAllItsCommandsAndNoLaterOne() {
		GatheredWrites failing = new GatheredWrites((commands) -> {
			this.written.add(commands);
			if (this.written.size() == 1) {
				throw new IllegalStateException("closed");
			}
		}, () -> this.driver);
		failing.writing();
		RedisCommand<byte[], byte[], ?> first = command();
		RedisCommand<byte[], byte[], ?> second = command();
		RedisCommand<byte[], byte[], ?> later = command();

		failing.send(first);
		failing.send(second);
		runTasks();
		failing.send(later);
		runTasks();

		assertThat(first.isDone()).isTrue();
		assertThat(second.isDone()).isTrue();
		assertThat(later.isDone()).isFalse();
	}

	@Test
	void errorOfADriverEndsTheCommands() {
		GatheredWrites failing = new GatheredWrites((commands) -> {
			throw new StackOverflowError();
		}, () -> this.driver);
		RedisCommand<byte[], byte[], ?> command = command();

		failing.send(command);

		assertThat(command.isDone()).isTrue();
	}

	@Test
	void commandsAreWrittenAfterAWriteCouldNotBeScheduled() {
		this.driver = (task) -> {
			throw new StackOverflowError("expected by this test");
		};
		this.writes.writing();
		RedisCommand<byte[], byte[], ?> first = command();
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.writes.send(first));
		this.driver = this.tasks::add;
		this.writes.writing();
		RedisCommand<byte[], byte[], ?> second = command();

		this.writes.send(second);
		runTasks();

		assertThat(this.written).containsExactly(List.of(first, second));
	}

	@Test
	@SuppressWarnings("unchecked")
	void commandsForAClusterAreWrittenOneByOneByTheirCaller() {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = mock(StatefulRedisClusterConnection.class);
		GatheredWrites direct = GatheredWrites.to(cluster);
		RedisCommand<byte[], byte[], ?> first = command();
		RedisCommand<byte[], byte[], ?> second = command();
		RedisCommand<byte[], byte[], ?> third = command();

		direct.writing();
		direct.send(first);
		direct.send(List.of(second, third));

		then(cluster).should().dispatch(first);
		then(cluster).should().dispatch(second);
		then(cluster).should().dispatch(third);
		then(cluster).should(never()).dispatch(any(Collection.class));
	}

	private void runTasks() {
		List<Runnable> due = List.copyOf(this.tasks);
		this.tasks.clear();
		due.forEach(Runnable::run);
	}

	private static RedisCommand<byte[], byte[], ?> command() {
		return new Command<>(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE));
	}

}
