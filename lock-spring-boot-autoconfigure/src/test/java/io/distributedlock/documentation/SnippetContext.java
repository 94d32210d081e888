package io.distributedlock.documentation;

import java.util.concurrent.CompletionStage;

import jakarta.persistence.EntityManager;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.LockTemplate;
import io.distributedlock.fencing.FencingGuard;

/**
 * What the Java snippets of the documentation take for granted: collaborators and values.
 */
@SuppressWarnings("NullAway.Init")
public abstract class SnippetContext {

	protected LockTemplate template;

	protected FencingGuard guard;

	protected JdbcTemplate jdbc;

	protected EntityManager entityManager;

	protected Orders orders;

	protected Reports reports;

	protected Work work;

	protected Shipping shipping;

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
	 * A service with a locked method.
	 */
	public interface Shipping {

		void ship(long orderId);

	}

}
