package io.distributedlock.contract;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that was stopped can be started again.
 */
abstract class RestartContract extends FaultContract {

	private final String key = newKey();

	@Test
	void restartedClientWorks() {
		release(first(), acquire(first(), this.key));

		restart(first());
		restart(first());

		assertFree(first(), this.key);
		LeaseGrant grant = acquire(second(), this.key);
		Waiter waiter = new Waiter(this, first(), this.key).busy();
		release(second(), grant);
		waiter.untilGranted(lateness());
	}

	@Test
	void leaseGrantedBeforeTheRestartStandsAtTheStore() {
		assumeLeasesHaveTheirOwnTtl();
		LeaseGrant grant = acquire(first(), this.key);

		first().stop();
		assertBusy(second(), this.key);
		start(first());

		assertStands(first(), grant);
		assertThat(release(first(), grant)).isTrue();
		assertFree(second(), this.key);
	}

	@Test
	void waiterOfAStoppedClientStandsInNobodysWay() {
		LeaseGrant grant = acquire(second(), this.key);
		new Waiter(this, first(), this.key).busy();

		first().stop();
		release(second(), grant);

		assertFree(third(), this.key);
		start(first());
	}

	@Test
	void stopIsRepeatable() {
		first().stop();
		first().stop();
		start(first());

		assertFree(first(), this.key);
	}

	private static void restart(LockBackend client) {
		client.stop();
		start(client);
	}

	private static void start(LockBackend client) {
		client.start((ownerId) -> {
		});
	}

}
