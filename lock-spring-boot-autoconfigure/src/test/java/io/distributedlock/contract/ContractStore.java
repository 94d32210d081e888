package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
import org.springframework.boot.convert.DurationStyle;

import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store, as the contract needs it: clients and time.
 */
abstract class ContractStore {

	// Guarded by the monitor of this contract: crowds ask for clients.
	private final List<ContractClient> clients = new ArrayList<>();

	private final News news = new News();

	/**
	 * Create a client, as a further JVM would have it: one that shares nothing with those
	 * before but the store and the key space. The contract connects it.
	 * @return the client
	 */
	protected abstract LockBackend newClient();

	/**
	 * Return the clock on which the clients count.
	 * @return the clock
	 */
	protected abstract LockClock clock();

	/**
	 * Let time pass on the clock of the clients and on that of the store: move a virtual
	 * clock, or wait.
	 * @param duration how much time
	 */
	protected abstract void elapse(Duration duration);

	/**
	 * Let a lease run out that nobody renews. Stores with sessions end the client's here.
	 * @param holder the client that holds it
	 * @param ttl the ttl that was asked for
	 */
	protected void letExpire(LockBackend holder, Duration ttl) {
		elapse(ttl.plusMillis(100));
	}

	/**
	 * Return whether an attempt may be unavailable although everybody answers: where this
	 * machine stood still meanwhile the store may take it for a clock that was set, and
	 * count no answers.
	 */
	protected boolean canDistrustAnswers() {
		return false;
	}

	/**
	 * Return whether attempts that are made at the same time may all be busy, since none
	 * of them gets a majority.
	 */
	protected boolean canSplitVotes() {
		return false;
	}

	/**
	 * Return whether clients can be cut off from the store. Where they can't, the tests
	 * of that are skipped.
	 * @return whether they can be cut off
	 */
	protected boolean canCutOff() {
		return false;
	}

	/**
	 * Cut a client off from the store, until {@link #restore}: nothing that it sends
	 * arrives.
	 * @param client the client
	 */
	protected void cutOff(LockBackend client) {
		throw new UnsupportedOperationException("canCutOff() promises what cutOff() does not do");
	}

	/**
	 * Return whether the store's answers to a client can get lost. Where they can't, the
	 * tests of that are skipped.
	 * @return whether they can get lost
	 */
	protected boolean canLoseAnswers() {
		return false;
	}

	/**
	 * Let what a client sends be carried out, and its answers get lost, until
	 * {@link #restore}.
	 * @param client the client
	 */
	protected void loseAnswers(LockBackend client) {
		throw new UnsupportedOperationException("canLoseAnswers() promises what loseAnswers() does not do");
	}

	/**
	 * Connect a client again.
	 * @param client the client
	 */
	protected void restore(LockBackend client) {
	}

	/**
	 * Return whether the answer to a release tells that another client waits, at least
	 * where the holder asked for more than one token.
	 * @return whether it does
	 */
	protected boolean tellsOfWaiters() {
		return false;
	}

	/**
	 * Return a ttl that is never reached by a test that does not elapse it.
	 * @return the ttl
	 */
	protected Duration longTtl() {
		return Duration.ofSeconds(60);
	}

	/**
	 * Return a ttl that a test can sit out, and long enough for a few calls.
	 * @return the ttl
	 */
	protected Duration briefTtl() {
		return Duration.ofSeconds(1);
	}

	/**
	 * Return a ttl that renewals outlast on a busy machine too: one that stands still for
	 * as long as the brief ttl has no time to renew a lease of that.
	 * @return the ttl
	 */
	protected Duration renewedTtl() {
		return briefTtl().multipliedBy(2);
	}

	/**
	 * Return how late a waiter may be served after the lock has become free, on a busy
	 * machine: clearly less than the long ttl.
	 * @return how late
	 */
	protected Duration lateness() {
		return Duration.ofSeconds(5);
	}

	/**
	 * Return for how long threads race for locks.
	 * @return how long
	 */
	protected Duration raceDuration() {
		return DurationStyle.detectAndParse(System.getProperty("lock.test.duration", "2s"));
	}

	/**
	 * Return the leases of all clients that others were said to wait for.
	 */
	final List<LeaseGrant> wanted() {
		return this.news.wanted;
	}

	final void letExpire(ContractClient holder, Duration ttl) {
		letExpire(holder.delegate(), ttl);
	}

	final void cutOff(ContractClient client) {
		cutOff(client.delegate());
	}

	final void loseAnswers(ContractClient client) {
		loseAnswers(client.delegate());
	}

	final void restore(ContractClient client) {
		restore(client.delegate());
	}

	/**
	 * Return a client that has been connected, the same one each time.
	 * @param index which one
	 * @return the client
	 */
	final synchronized ContractClient client(int index) {
		while (this.clients.size() <= index) {
			ContractClient client = new ContractClient(newClient());
			client.connect(this.news);
			this.clients.add(client);
		}
		return this.clients.get(index);
	}

	@AfterEach
	synchronized void closeClients() {
		this.clients.forEach(ContractClient::close);
		this.clients.clear();
	}

	/**
	 * Hears what the clients learn of leases.
	 */
	private static final class News implements BackendListener {

		private final List<LeaseGrant> wanted = new CopyOnWriteArrayList<>();

		@Override
		public void leaseLost(OwnerId ownerId) {
		}

		@Override
		public void contended(LeaseGrant grant, Duration pollAfter) {
			assertThat(pollAfter).as("when another client asks again").isGreaterThanOrEqualTo(Duration.ZERO);
			this.wanted.add(grant);
		}

	}

}
