package io.distributedlock.contract;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;

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

		first().close();
		assertBusy(second(), this.key);
		first().connect();

		assertStands(first(), grant);
		assertThat(release(first(), grant)).isTrue();
		assertFree(second(), this.key);
	}

	@Test
	void waiterOfAStoppedClientBlocksNoOther() {
		LeaseGrant grant = acquire(second(), this.key);
		new Waiter(this, first(), this.key).busy();

		first().close();
		release(second(), grant);

		assertFree(third(), this.key);
		first().connect();
	}

	@Test
	void stopIsRepeatable() {
		first().close();
		first().close();
		first().connect();

		assertFree(first(), this.key);
	}

	private static void restart(ContractClient client) {
		client.close();
		client.connect();
	}

}
