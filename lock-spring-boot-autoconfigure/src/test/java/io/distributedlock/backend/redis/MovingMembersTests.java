package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;

import io.distributedlock.LockMode;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MovingMembers}, on a server whose answers are given.
 */
class MovingMembersTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final RedisRequests requests = new RedisRequests(
			new RedisLockSettings("lock:", "app@host:1", TTL, Duration.ofHours(1)));

	private final Server server = new Server();

	private final MovingMembers moving = new MovingMembers(this.server, this.requests.groups());

	private final SystemLockClock clock = new SystemLockClock();

	private final LeaseGrant grant = new LeaseGrant(LockTarget.of("a", LockMode.SHARED), OwnerId.random(),
			new TokenRange(1_700_000_000_000_000L, 1), 0);

	@AfterEach
	void end() {
		this.clock.close();
	}

	@Test
	void lockIsLengthenedAfterTheMember() {
		this.server.answers(1, 1, 1, 1);

		assertThat(renew(TTL)).containsExactly(1L);

		assertThat(this.server.calls).containsExactly("lock:{a} for 0", "lock:{a}:s for 30000", "lock:{a}:h for 30000",
				"lock:{a} for 30000");
	}

	@Test
	void renewalCountsOnlyIfTheLockIsLengthened() {
		this.server.answers(1, 1, 1, 0);

		assertThat(renew(TTL)).containsExactly(0L);
	}

	@Test
	void memberOfAGroupThatWasTakenAwayIsNotLengthened() {
		this.server.answers(0);

		assertThat(renew(TTL)).containsExactly(0L);

		assertThat(this.server.calls).containsExactly("lock:{a} for 0");
	}

	@Test
	void memberThatHasExpiredLeavesTheLock() {
		this.server.answers(1, 0);

		assertThat(renew(TTL)).containsExactly(0L);

		assertThat(this.server.calls).containsExactly("lock:{a} for 0", "lock:{a}:s for 30000");
	}

	@Test
	void questionLengthensNothing() {
		this.server.answers(1, 1);

		assertThat(renew(Duration.ZERO)).containsExactly(1L);

		assertThat(this.server.calls).containsExactly("lock:{a} for 0", "lock:{a}:s for 0");
	}

	private List<Object> renew(Duration ttl) {
		return this.moving.renew(new Renewal(this.grant, ttl), null, CallDeadline.in(TTL, this.clock))
			.toCompletableFuture()
			.join();
	}

	/**
	 * A server that answers each script as given.
	 */
	private static final class Server implements RedisLink {

		private final List<String> calls = new ArrayList<>();

		private final List<Long> answers = new ArrayList<>();

		private void answers(long... given) {
			for (long answer : given) {
				this.answers.add(answer);
			}
		}

		@Override
		public List<CompletionStage<List<Object>>> runAll(List<ScriptCall> scripts, Duration timeout) {
			List<CompletionStage<List<Object>>> replies = new ArrayList<>();
			for (ScriptCall script : scripts) {
				assertThat(script.keys()).hasSize(1);
				String ttl = new String(script.arguments().get(script.arguments().size() - 1));
				this.calls.add(new String(script.keys().get(0)) + " for " + ttl);
				replies.add(CompletableFuture.completedStage(List.of(this.answers.remove(0))));
			}
			return replies;
		}

		@Override
		public boolean isCluster() {
			return true;
		}

		@Override
		public RedisConnection subscriptionConnection(Duration patience) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
		}

	}

}
