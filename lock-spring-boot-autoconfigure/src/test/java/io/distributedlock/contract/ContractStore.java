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
 * The store under test as the contract needs it: clients and time.
 */
abstract class ContractStore {

	// Guarded by the monitor of this contract, because crowds request clients.
	private final List<ContractClient> clients = new ArrayList<>();

	private final News news = new News();

	/**
	 * Create a client as another JVM would have it: it shares only the store and the key
	 * space with earlier clients. The contract connects it.
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
	 * Let a lease expire that is not renewed. Stores with sessions end the client's
	 * session here.
	 * @param holder the client that holds it
	 * @param ttl the requested TTL
	 */
	protected void letExpire(LockBackend holder, Duration ttl) {
		elapse(ttl.plusMillis(100));
	}

	/**
	 * Return whether an attempt may be unavailable although all servers answer. If this
	 * machine stood still meanwhile, the store may take this for a clock that was set,
	 * and ignore the answers.
	 */
	protected boolean canDistrustAnswers() {
		return false;
	}

	/**
	 * Return whether attempts at the same time may all be busy because no attempt gets a
	 * majority. Attempts that follow within milliseconds may be busy, too, until the
	 * nodes know that the earlier ones were given back.
	 */
	protected boolean canSplitVotes() {
		return false;
	}

	/**
	 * Return whether clients can be cut off from the store. If not, tests that need this
	 * are skipped.
	 * @return whether they can be cut off
	 */
	protected boolean canCutOff() {
		return false;
	}

	/**
	 * Cut a client off from the store until {@link #restore}: its requests do not arrive.
	 * @param client the client
	 */
	protected void cutOff(LockBackend client) {
		throw new UnsupportedOperationException("canCutOff() promises what cutOff() does not do");
	}

	/**
	 * Return whether the store's answers to a client can get lost. If not, tests that
	 * need this are skipped.
	 * @return whether they can get lost
	 */
	protected boolean canLoseAnswers() {
		return false;
	}

	/**
	 * Let the requests of a client be executed and the answers get lost, until
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
	 * Return whether the answer to a release reports that another client waits, at least
	 * if the holder requested more than one token.
	 * @return whether it does
	 */
	protected boolean tellsOfWaiters() {
		return false;
	}

	/**
	 * Return whether the answers to a renewal and a release of a member of a group report
	 * that another client keeps the door closed.
	 * @return whether they do
	 */
	protected boolean tellsMembersOfWaiters() {
		return tellsOfWaiters();
	}

	/**
	 * Return a TTL that no test reaches unless it lets that time elapse.
	 * @return the TTL
	 */
	protected Duration longTtl() {
		return Duration.ofSeconds(60);
	}

	/**
	 * Return a TTL that a test can wait for, and that is long enough for a few calls.
	 * @return the TTL
	 */
	protected Duration briefTtl() {
		return Duration.ofSeconds(1);
	}

	/**
	 * Return a TTL that is long enough for renewals even on a busy machine. A machine
	 * that stands still for the brief TTL can't renew a lease in time.
	 * @return the TTL
	 */
	protected Duration renewedTtl() {
		return briefTtl().multipliedBy(2);
	}

	/**
	 * Return how late a waiter may be served after the lock has become free, on a busy
	 * machine. Clearly less than the long TTL.
	 * @return the greatest delay
	 */
	protected Duration lateness() {
		return Duration.ofSeconds(5);
	}

	/**
	 * Return for how long threads race for locks.
	 * @return the duration
	 */
	protected Duration raceDuration() {
		return DurationStyle.detectAndParse(System.getProperty("lock.test.duration", "2s"));
	}

	/**
	 * Return the leases of all clients that other clients wait for, as reported by the
	 * store.
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
	 * Return a connected client, the same one for each call with an index.
	 * @param index the index of the client
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
	 * Receives the clients' notifications about leases.
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
