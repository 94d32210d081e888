package io.distributedlock.integration;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for Spring Integration's leader election, whose heartbeat locks its lock again.
 */
class LeaderInitiatorTests {

	private final RegistryFixture fixture = new RegistryFixture();

	private final List<String> news = new CopyOnWriteArrayList<>();

	private final LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(this.fixture.registry,
			new Candidate());

	@BeforeEach
	void start() {
		this.initiator.setHeartBeatMillis(10);
		this.initiator.setBusyWaitMillis(10);
		this.initiator.start();
		Awaitility.await().until(() -> this.news.contains("granted"));
	}

	@AfterEach
	void close() {
		this.initiator.stop();
		this.fixture.close();
	}

	@Test
	void leaderThatLostTheLockIsRevokedBeforeItLeadsAgain() {
		this.fixture.lose("role");

		Awaitility.await().until(() -> this.news.size() >= 3);
		assertThat(this.news).startsWith("granted", "revoked", "granted");
	}

	@Test
	void leaderThatStopsGivesTheLockBack() {
		this.initiator.stop();

		// Spring Integration notifies its listeners after it has given back the lock.
		Awaitility.await().untilAsserted(() -> assertThat(this.news).containsExactly("granted", "revoked"));
		assertThat(this.fixture.isHeld("role")).isFalse();
	}

	/**
	 * Records its notifications.
	 */
	private final class Candidate extends DefaultCandidate {

		Candidate() {
			super("candidate", "role");
		}

		@Override
		public void onGranted(Context context) {
			LeaderInitiatorTests.this.news.add("granted");
		}

		@Override
		public void onRevoked(Context context) {
			LeaderInitiatorTests.this.news.add("revoked");
		}

	}

}
