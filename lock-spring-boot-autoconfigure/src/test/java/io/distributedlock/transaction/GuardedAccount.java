package io.distributedlock.transaction;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Table;

/**
 * The entity that JPA transactions write in the tests.
 */
@Entity
@Table(name = "guarded_account")
public class GuardedAccount {

	private static volatile Runnable whileFlushed = () -> {
	};

	@Id
	private long id;

	private long balance;

	private long fence;

	protected GuardedAccount() {
	}

	GuardedAccount(long id, long balance) {
		this.id = id;
		this.balance = balance;
	}

	/**
	 * Set an action that runs before an update is sent.
	 * @param happens the action
	 */
	static void setWhileFlushed(Runnable happens) {
		whileFlushed = happens;
	}

	long balance() {
		return this.balance;
	}

	void setBalance(long balance) {
		this.balance = balance;
	}

	@PreUpdate
	void flushed() {
		whileFlushed.run();
	}

}
