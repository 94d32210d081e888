package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link BlockingLink}.
 */
class BlockingLinkTests {

	private static final RedisKeys KEYS = new RedisKeys("lock:");

	private final RedisConnectionFactory factory = mock(RedisConnectionFactory.class);

	private final BlockingLink link = new BlockingLink(this.factory,
			new RedisLockSettings("lock:", "test@host:1", Duration.ofSeconds(1), Duration.ofHours(1)), Runnable::run,
			new VirtualLockClock());

	@AfterEach
	void closeLink() {
		this.link.close();
	}

	@Test
	void primariesAreFoundThoughTheConnectionCanNotBeGivenBack() {
		RedisConnection connection = mock(RedisConnection.class);
		given(this.factory.getConnection()).willReturn(connection);
		willThrow(new IllegalStateException("The pool is closed")).given(connection).close();

		assertThat(this.link.primaries(KEYS).toCompletableFuture()).isCompletedWithValue(List.of(List.of()));
	}

	@Test
	void primariesAreNotAskedForWithoutAConnection() {
		given(this.factory.getConnection()).willThrow(new IllegalStateException("The pool is closed"));

		assertThat(this.link.primaries(KEYS).handle((found, fault) -> fault).toCompletableFuture().join())
			.isInstanceOf(NotSentException.class)
			.hasMessage("There is no connection to the Redis of the locks: The pool is closed");
	}

}
