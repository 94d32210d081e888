package io.distributedlock.backend.redis;

import java.util.Collection;
import java.util.List;

import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import org.junit.jupiter.api.Test;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * Tests for {@link LettuceWire}.
 */
class LettuceWireTests {

	@Test
	@SuppressWarnings("unchecked")
	void commandsForAClusterAreWrittenOneByOneByTheirCaller() {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = mock(StatefulRedisClusterConnection.class);
		LettuceWire wire = new LettuceWire(cluster, () -> {
		}, new GatheredWrites((commands) -> {
			throw new IllegalStateException("gathered");
		}, () -> null));
		RedisCommand<byte[], byte[], ?> first = command();
		RedisCommand<byte[], byte[], ?> second = command();
		RedisCommand<byte[], byte[], ?> third = command();

		wire.send(List.of(first));
		wire.send(List.of(second, third));

		then(cluster).should().dispatch(first);
		then(cluster).should().dispatch(second);
		then(cluster).should().dispatch(third);
		then(cluster).should(never()).dispatch(any(Collection.class));
	}

	private static RedisCommand<byte[], byte[], ?> command() {
		return new Command<>(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE));
	}

}
