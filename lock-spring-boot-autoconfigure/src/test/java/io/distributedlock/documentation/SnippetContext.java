package io.distributedlock.documentation;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import jakarta.persistence.EntityManager;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.fencing.FencingGuard;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * What the Java snippets of the documentation take for granted: collaborators and values.
 */
@SuppressWarnings("NullAway.Init")
public abstract class SnippetContext {

	protected LockTemplate template;

	protected Locks locks;

	protected FencingGuard guard;

	protected JdbcTemplate jdbc;

	protected EntityManager entityManager;

	protected Orders orders;

	protected Reports reports;

	protected Work work;

	protected Shipping shipping;

	protected Ledger ledger;

	protected ReleaseWaiter waiter;

	protected PollDelay delay;

	protected long token;

	protected long id;

	protected long balance;

	/**
	 * Orders of a shop.
	 */
	public interface Orders {

		void ship(long orderId);

		void cancel(long orderId);

		Receipt charge(long token);

	}

	/**
	 * What a charge returns.
	 */
	public interface Receipt {

	}

	/**
	 * Reports of a shop.
	 */
	public interface Reports {

		void print();

		CompletionStage<Void> printAsync();

	}

	/**
	 * Work of a leader.
	 */
	public interface Work {

		void next(long token);

	}

	/**
	 * A store of the application's own.
	 */
	public interface Ledger {

		CompletionStage<LedgerAnswer> acquire(LeaseRequest request);

	}

	/**
	 * What that store answers.
	 */
	public interface LedgerAnswer {

		boolean isGranted();

		LeaseGrant grant();

		Duration rest();

	}

	/**
	 * The backend of that store.
	 */
	public abstract static class LedgerLockBackend implements LockBackend {

		public static LockBackend of(String host, int port, String prefix, String instance, Duration callTimeout,
				LockClock clock) {
			throw new UnsupportedOperationException(host + port + prefix + instance + callTimeout + clock);
		}

	}

	/**
	 * A service with a locked method.
	 */
	public interface Shipping {

		void ship(long orderId);

	}

}
