package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;

/**
 * Attempts to take a lock. Each attempt runs on a connection that is borrowed for it, or
 * that an earlier attempt has just used. Contenders do not queue. They receive
 * notifications of releases if the database sends them.
 */
final class JdbcContender implements Contender {

	private static final Logger logger = LoggerFactory.getLogger(JdbcContender.class);

	private final LockTarget target;

	private final JdbcLockDatabase database;

	private final Executor workers;

	private final CallerConnections callers;

	private final DedicatedConnectionExecutor renewalExecutor;

	private final JdbcWakeUp wakeUp;

	private final PollDelay pollDelay = new PollDelay();

	private final ClosedDoor door = new ClosedDoor();

	// Whether the previous attempt was busy. Attempts follow one another.
	private volatile boolean again;

	// The latest attempt. Set by the thread that attempts, and read by the one that
	// withdraws.
	private volatile @Nullable StoreCall<AttemptOutcome> latest;

	JdbcContender(LockTarget target, JdbcWakeUp wakeUp, JdbcLockDatabase database, Executor workers,
			CallerConnections callers, DedicatedConnectionExecutor renewalExecutor) {
		this.target = target;
		this.database = database;
		this.workers = workers;
		this.callers = callers;
		this.renewalExecutor = renewalExecutor;
		this.wakeUp = wakeUp;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		StoreCall<AttemptOutcome> call = new StoreCall<>(JdbcLockDatabase.DESCRIPTION, request.timeout(),
				this.database.clock());
		this.latest = call;
		this.wakeUp.begin();
		this.door.begin();
		LockConnection kept = isForWorkers() ? null
				: this.callers.take(request.patience(), request.timeout(), CallerConnections.WAIT);
		if (kept != null) {
			runHere(call, request, kept);
		}
		else {
			call.onTimeout(this.renewalExecutor::probe).startTimer();
			try {
				this.workers.execute(() -> run(call, request));
			}
			catch (RejectedExecutionException ex) {
				call.fail(JdbcLockDatabase.closed());
			}
		}
		return call.result().exceptionally((fault) -> unavailable(fault, call));
	}

	/**
	 * Return whether the attempt may open a transaction. Nothing but the store may then
	 * interrupt or delay the thread.
	 */
	private boolean isForWorkers() {
		Dialect dialect = this.database.dialect();
		return this.target.isGroup() && (dialect == null || dialect.opensTransactions());
	}

	private static AttemptOutcome unavailable(Throwable fault, StoreCall<AttemptOutcome> call) {
		// A refused statement was not executed.
		return new AttemptOutcome.Unavailable(fault, call.wasSent() && !(fault instanceof LockRefusedException));
	}

	/**
	 * Run on the caller's thread. Everything that may take longer than the statements is
	 * left to a worker. So the database gets no grace period, and the pool is not called.
	 */
	private void runHere(StoreCall<AttemptOutcome> call, LeaseRequest request, LockConnection connection) {
		boolean fit = false;
		try {
			connection.timeouts().boundBy(call.deadline(), true);
			fit = call.send() && send(call, request, connection);
		}
		finally {
			this.callers.giveBack(connection, fit);
		}
	}

	private void run(StoreCall<AttemptOutcome> call, LeaseRequest request) {
		if (!call.isQueued()) {
			return;
		}
		LockConnection connection;
		try {
			connection = this.database.borrow();
		}
		catch (SQLException | RuntimeException ex) {
			call.fail(this.database.noConnection(ex));
			return;
		}
		boolean fit = false;
		try {
			if (call.deadline().isPassed()) {
				call.withdraw(this.database.noConnection(null));
			}
			connection.timeouts().boundBy(call.deadline(), false);
			fit = call.send() && send(call, request, connection);
		}
		finally {
			if (fit) {
				this.callers.keepOrClose(connection, request);
			}
			else {
				connection.close();
			}
		}
	}

	/**
	 * Make the attempt.
	 * @return whether the connection works
	 */
	private boolean send(StoreCall<AttemptOutcome> call, LeaseRequest request, LockConnection connection) {
		try {
			AttemptOutcome outcome = this.target.isGroup() ? enter(call, request, connection)
					: acquire(call, request, connection);
			if (outcome instanceof AttemptOutcome.Granted || outcome instanceof AttemptOutcome.Done) {
				// Before the engine receives the outcome, after which it no longer uses
				// this contender.
				this.wakeUp.end();
			}
			if (!call.complete(outcome) && outcome instanceof AttemptOutcome.Granted) {
				giveBack(request, connection);
			}
			return true;
		}
		catch (SQLException | RuntimeException ex) {
			if (SqlFaults.isSilence(ex)) {
				this.renewalExecutor.probe();
			}
			call.fail(this.database.explain(ex, TableAccess.taking(this.target)));
			return false;
		}
	}

	private AttemptOutcome enter(StoreCall<AttemptOutcome> call, LeaseRequest request, LockConnection connection)
			throws SQLException {
		GroupAcquisition acquisition = new GroupAcquisition(this.target, request, this.database.clock(), this.pollDelay,
				this.wakeUp);
		AttemptOutcome outcome = connection.run(call.deadline(), (each) -> acquisition.run(each, this.again));
		this.again = outcome instanceof AttemptOutcome.Busy;
		return outcome;
	}

	private AttemptOutcome acquire(StoreCall<AttemptOutcome> call, LeaseRequest request, LockConnection connection)
			throws SQLException {
		JdbcAcquisition acquisition = new JdbcAcquisition(this.target, request, this.database.clock(), this.pollDelay,
				this.wakeUp);
		AttemptOutcome outcome = connection.run(call.deadline(), acquisition::run);
		boolean waits = outcome instanceof AttemptOutcome.Busy && request.waiting();
		if (this.door.record(waits && acquisition.isOwnerless())) {
			open(connection);
		}
		return (waits && request.tick() == null) ? this.wakeUp.poll((AttemptOutcome.Busy) outcome, connection)
				: outcome;
	}

	private void open(LockConnection connection) throws SQLException {
		for (String key : this.target.keys()) {
			new GateSql(connection).openDoor(key);
		}
	}

	/**
	 * Release a grant that came too late to be used. The engine does so, too, but later,
	 * and other clients would have to wait for that.
	 */
	private void giveBack(LeaseRequest request, LockConnection connection) {
		try {
			connection.timeouts().bound(request.timeout());
			new LeaseSql(connection).abandon(new Orphan(this.target, request.ownerId()));
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("A grant that came too late could not be given back yet", ex);
		}
	}

	@Override
	public void withdraw() {
		this.wakeUp.end();
		if (this.door.withdraw()) {
			open();
		}
		StoreCall<AttemptOutcome> call = this.latest;
		if (call != null) {
			call.withdraw(new LockUnavailableException(
					"The attempt to take the lock on " + this.target.keys() + " was withdrawn"));
		}
	}

	/**
	 * Open the groups that this contender has closed. If that fails, it opens by itself a
	 * moment later.
	 */
	private void open() {
		this.database.<Boolean>call(this.workers, TableAccess.CHANGE, (call) -> {
			try (LockConnection connection = this.database.borrow()) {
				if (!call.send()) {
					return false;
				}
				connection.timeouts().bound(call.deadline().left());
				return call.complete(connection.run(call.deadline(), (each) -> {
					open(each);
					return true;
				}));
			}
		}).whenComplete((opened, fault) -> {
			if (fault != null) {
				logger.debug("A group could not be opened to new members yet", fault);
			}
		});
	}

}
