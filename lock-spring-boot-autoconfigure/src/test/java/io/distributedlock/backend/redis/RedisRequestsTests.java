package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisRequests} and {@link RedisGroupRequests}.
 */
class RedisRequestsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final RedisRequests requests = new RedisRequests(
			new RedisLockSettings("lock:", "app@host:1", TIMEOUT, Duration.ofHours(1)));

	private final OwnerId owner = OwnerId.random();

	@Test
	void exclusiveAttemptThatHasMetNoGroupKnowsNothingOfGroups() {
		for (boolean waiting : new boolean[] { true, false }) {
			ScriptCall call = this.requests.acquire(LockTarget.exclusive("a"), request(1, 0, waiting), null);

			assertThat(texts(call.keys())).containsExactly("lock:{a}", "lock:{a}:c", "lock:{a}:w");
			assertThat(texts(call.arguments())).containsExactly(this.owner.value() + "|app@host:1", "60000", "1", "",
					waiting ? "6000" : "0", "3600000");
		}
	}

	@Test
	void exclusiveAttemptThatHasMetAGroupNamesTheDoor() {
		ScriptCall call = this.requests.acquire(LockTarget.exclusive("a"), request(1, 0, true),
				new DoorToClose("waiter", true));

		assertThat(texts(call.keys())).containsExactly("lock:{a}", "lock:{a}:c", "lock:{a}:w", "lock:{a}:d");
		assertThat(texts(call.arguments())).endsWith("3600000", "waiter|notified", "5000");
	}

	@Test
	void stateOfTheServerComesAfterTheDoor() {
		ScriptCall call = this.requests.acquireGuarded(LockTarget.exclusive("a"), request(1, 0, true),
				new DoorToClose("waiter", false), "ok:1:2");

		assertThat(texts(call.keys())).endsWith("lock:{a}:d", "lock:state");
		assertThat(texts(call.arguments())).endsWith("waiter", "1000", "ok:1:2");
	}

	@Test
	void permitsHaveOneTokenEachAndReadersARange() {
		assertThat(texts(
				this.requests.acquire(LockTarget.of("a", LockMode.PERMITS), request(8, 3, false), null).arguments()))
			.containsExactly(this.owner.value() + "|app@host:1", "60000", "1", "permits", "0", "3600000", "3");
		assertThat(texts(
				this.requests.acquire(LockTarget.of("a", LockMode.SHARED), request(8, 0, false), null).arguments()))
			.containsExactly(this.owner.value() + "|app@host:1", "60000", "8", "shared", "0", "3600000", "0");
	}

	@Test
	void waiterThatHasClosedTheDoorAttemptsAgainASecondBeforeItOpens() {
		assertThat(DoorToClose.untilNextAttempt(3500)).isEqualTo(Duration.ofMillis(2500));
		assertThat(DoorToClose.untilNextAttempt(100)).isEqualTo(Duration.ZERO);
	}

	private LeaseRequest request(int span, int permits, boolean waiting) {
		return new LeaseRequest(this.owner, Duration.ofMinutes(1), span, permits, null, waiting, TIMEOUT,
				Duration.ZERO);
	}

	private static List<String> texts(List<byte[]> values) {
		return values.stream().map((value) -> new String(value, StandardCharsets.UTF_8)).toList();
	}

}
