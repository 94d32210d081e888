package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link RedisStoreConnection}.
 */
class RedisStoreConnectionTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final LeaseGrant GRANT = new LeaseGrant(LockTarget.exclusive("order:42"), OwnerId.random(),
			new TokenRange(1, 1), 0);

	@Test
	void requestThatWasSentOnceKnowsWhatItFound() {
		assertThat(connection(1, false).release(GRANT, Duration.ZERO).toCompletableFuture()).isCompletedWithValue(true);
		assertThat(connection(0, false).release(GRANT, Duration.ZERO).toCompletableFuture())
			.isCompletedWithValue(false);
		assertThat(connection(1, false).forceRelease("order:42", Duration.ZERO).toCompletableFuture())
			.isCompletedWithValue(true);
		assertThat(connection(0, false).forceRelease("order:42", Duration.ZERO).toCompletableFuture())
			.isCompletedWithValue(false);
	}

	@Test
	void repeatedRequestThatFoundTheLeaseHasReleasedIt() {
		assertThat(connection(1, true).release(GRANT, Duration.ZERO).toCompletableFuture()).isCompletedWithValue(true);
		assertThat(connection(1, true).forceRelease("order:42", Duration.ZERO).toCompletableFuture())
			.isCompletedWithValue(true);
	}

	@Test
	void repeatedRequestThatFoundNothingDoesNotKnowWhetherTheFirstOneDidIt() {
		assertThatThrownBy(() -> connection(0, true).release(GRANT, Duration.ZERO).toCompletableFuture().join())
			.hasCauseInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("not known whether the lock on 'order:42' was released")
			.hasMessageContaining("repeated and found nothing");
		assertThatThrownBy(
				() -> connection(0, true).forceRelease("order:42", Duration.ZERO).toCompletableFuture().join())
			.hasCauseInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("not known whether the lock on 'order:42' was taken away");
	}

	private static RedisStoreConnection connection(long answer, boolean interrupted) {
		return new RedisStoreConnection(new LettuceConnectionFactory(),
				(factory, settings, workers, clock) -> new AnsweringLink(answer, interrupted),
				new RedisLockSettings("lock:", "test@host:1", TIMEOUT, Duration.ofHours(1)), new VirtualLockClock(),
				(lost) -> {
				});
	}

	/**
	 * A link that gives one answer to all scripts, perhaps after an interruption.
	 */
	private static final class AnsweringLink implements RedisLink {

		private final long answer;

		private final boolean interrupted;

		private long interruptions;

		AnsweringLink(long answer, boolean interrupted) {
			this.answer = answer;
			this.interrupted = interrupted;
		}

		@Override
		public List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout) {
			if (this.interrupted) {
				this.interruptions++;
			}
			return calls.stream()
				.<CompletionStage<List<Object>>>map((call) -> CompletableFuture.completedFuture(List.of(this.answer)))
				.toList();
		}

		@Override
		public long interruptions() {
			return this.interruptions;
		}

		@Override
		public boolean isCluster() {
			return false;
		}

		@Override
		public CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys) {
			return CompletableFuture.completedFuture(List.of(List.of()));
		}

		@Override
		public RedisConnection subscriptionConnection(Duration patience) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			// Nothing was opened.
		}

	}

}
