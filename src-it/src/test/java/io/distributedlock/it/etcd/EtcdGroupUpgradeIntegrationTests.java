package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.it.etcd.EarlierEtcdPlace.State;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that instances of the version before groups and of this one exclude each other
 * while they run side by side.
 */
@RequiresEtcd
class EtcdGroupUpgradeIntegrationTests {

	private final String key = EtcdTestClient.newKey();

	private EtcdTestClient client;

	@BeforeEach
	void open() {
		this.client = new EtcdTestClient(EtcdServer.client());
	}

	@AfterEach
	void close() {
		this.client.close();
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void earlierWriterExcludesEveryMode(LockMode mode) {
		EarlierEtcdPlace earlier = earlier();
		assertThat(earlier.state()).isEqualTo(State.HOLDS);
		AtomicInteger wakeUps = new AtomicInteger();
		Contender waiter = this.client.connection().contend(LockTarget.of(this.key, mode), wakeUps::incrementAndGet);

		assertThat(attempt(mode)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(EtcdTestClient.await(waiter.attempt(this.client.request(mode, true))))
			.isInstanceOf(AttemptOutcome.Busy.class);

		earlier.leave();
		Awaitility.await().until(() -> wakeUps.get() > 0);
		this.client
			.release(EtcdTestClient.granted(EtcdTestClient.await(waiter.attempt(this.client.request(mode, true)))));
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = "EXCLUSIVE", mode = EnumSource.Mode.EXCLUDE)
	void everyMemberOfAGroupExcludesAnEarlierWriter(LockMode mode) {
		for (int members : new int[] { 2, 12 }) {
			List<LeaseGrant> group = new ArrayList<>();
			for (int i = 0; i < members; i++) {
				group.add(member(mode, members));
			}
			EarlierEtcdPlace earlier = earlier();
			assertThat(earlier.state()).isEqualTo(State.WAITS);

			// The one that the earlier version watches goes first.
			for (int i = members - 1; i > 0; i--) {
				this.client.release(group.get(i));
				assertThat(earlier.lookAgain()).isEqualTo(State.WAITS);
			}
			this.client.release(group.get(0));

			assertThat(earlier.lookAgain()).isEqualTo(State.HOLDS);
			earlier.leave();
		}
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = "EXCLUSIVE", mode = EnumSource.Mode.EXCLUDE)
	void earlierWriterThatWaitsIsServedBeforeLaterMembers(LockMode mode) {
		LeaseGrant member = member(mode, 2);
		EarlierEtcdPlace earlier = earlier();

		assertThat(attempt(mode)).isInstanceOf(AttemptOutcome.Busy.class);

		this.client.release(member);
		assertThat(earlier.lookAgain()).isEqualTo(State.HOLDS);
		assertThat(attempt(mode)).isInstanceOf(AttemptOutcome.Busy.class);
		earlier.leave();
		this.client.release(EtcdTestClient.granted(attempt(mode)));
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = "EXCLUSIVE", mode = EnumSource.Mode.EXCLUDE)
	void memberThatIsKeptForItsCooldownExcludesAnEarlierWriter(LockMode mode) {
		LeaseGrant member = member(mode, 2);
		EarlierEtcdPlace waiting = earlier();

		assertThat(this.client.release(member, Duration.ofSeconds(1))).isTrue();

		assertThat(waiting.lookAgain()).isEqualTo(State.WAITS);
		Awaitility.await().until(() -> waiting.lookAgain() == State.HOLDS);
		waiting.leave();
	}

	@ParameterizedTest
	@EnumSource(value = LockMode.class, names = "EXCLUSIVE", mode = EnumSource.Mode.EXCLUDE)
	void cooldownOfAForcedReleaseExcludesAnEarlierWriter(LockMode mode) {
		member(mode, 2);
		member(mode, 2);

		assertThat(EtcdTestClient.await(this.client.connection().forceRelease(this.key, Duration.ofSeconds(60))))
			.isTrue();

		EarlierEtcdPlace earlier = earlier();
		assertThat(earlier.state()).isEqualTo(State.WAITS);
		earlier.leave();
	}

	private EarlierEtcdPlace earlier() {
		return new EarlierEtcdPlace(EtcdServer.client(), this.key);
	}

	private LeaseGrant member(LockMode mode, int permits) {
		return (mode == LockMode.SHARED) ? this.client.read(this.key) : this.client.permit(this.key, permits);
	}

	private AttemptOutcome attempt(LockMode mode) {
		return this.client.attempt(LockTarget.of(this.key, mode), this.client.request(mode, false));
	}

}
