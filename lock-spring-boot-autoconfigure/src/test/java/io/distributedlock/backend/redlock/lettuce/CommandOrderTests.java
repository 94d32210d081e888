package io.distributedlock.backend.redlock.lettuce;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link CommandOrder}.
 */
class CommandOrderTests {

	@SuppressWarnings("unchecked")
	private final StatefulRedisConnection<byte[], byte[]> wire = mock(StatefulRedisConnection.class);

	private final List<Runnable> elsewhere = new ArrayList<>();

	private final CommandOrder order = new CommandOrder(this.wire, this.elsewhere::add);

	@Test
	void callJoinsTheLastBatchEvenIfTheDriverHasItAlready() {
		NodeCallBatch batch = batch();
		this.order.send(batch, batch);
		then(this.wire).should().dispatch((RedisCommand<byte[], byte[], ?>) batch);

		assertThat(this.order.join(release())).isTrue();
	}

	@Test
	void callDoesNotOvertakeACommandThatCameAfterTheBatch() {
		NodeCallBatch batch = batch();
		this.order.send(batch, batch);
		this.order.send(command(), null);

		assertThat(this.order.join(release())).isFalse();
	}

	@Test
	void callDoesNotJoinABatchBeforeTheLastOne() {
		NodeCallBatch first = batch();
		NodeCallBatch second = batch();
		this.order.send(first, first);
		this.order.send(second, second);
		second.close();

		assertThat(this.order.join(release())).isFalse();
		assertThat(first.close()).hasSize(1);
	}

	@Test
	void commandsOfTheDriversThreadAreSentElsewhereInTheirOrder() throws InterruptedException {
		RedisCommand<byte[], byte[], ?> first = command();
		RedisCommand<byte[], byte[], ?> second = command();
		Thread driver = new FastThreadLocalThread(() -> this.order.send(first, null));
		driver.start();
		driver.join();
		this.order.send(second, null);
		then(this.wire).shouldHaveNoInteractions();

		this.elsewhere.forEach(Runnable::run);

		then(this.wire).should().dispatch(List.of(first, second));
	}

	private static NodeCallBatch batch() {
		NodeCallBatch batch = new NodeCallBatch(bytes("state"), bytes("marks"));
		batch.add(release());
		return batch;
	}

	private static NodeCall release() {
		return NodeCall.release(List.of(bytes("one"), bytes("one:c"), bytes("one:w")), "me", 0L, "", bytes("channel"));
	}

	private static RedisCommand<byte[], byte[], ?> command() {
		return new Command<>(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
