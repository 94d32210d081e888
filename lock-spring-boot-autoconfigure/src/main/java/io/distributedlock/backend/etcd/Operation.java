package io.distributedlock.backend.etcd;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.StoreOperation;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LockClock;

/**
 * What a backend has between its start and its stop.
 */
final class Operation implements StoreOperation {

	private static final Logger logger = LoggerFactory.getLogger(Operation.class);

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final EtcdLockQueue queue;

	private final GivenUpEntries givenUp;

	private final EtcdSessions sessions;

	private final Releases releases;

	private final Renewals renewals;

	private final Ticks ticks;

	private final Inspection inspection;

	private final WatchCheck watchCheck;

	private final Sweep sweep;

	private Operation(EtcdLink link, @Nullable String user, EtcdLockSettings settings, LockClock clock,
			BackendListener losses) {
		EtcdRefusals refusals = new EtcdRefusals(user, settings);
		this.requests = new EtcdRequests(link, clock, settings.callTimeout(), refusals);
		this.keys = new EtcdKeys(settings.namespace(), settings.keyPrefix());
		this.queue = new EtcdLockQueue(this.requests, this.keys);
		this.givenUp = new GivenUpEntries(this.queue, clock);
		this.sessions = new EtcdSessions(this.requests, this.keys, settings, clock, losses);
		CooldownLeases cooldowns = new CooldownLeases(this.requests, this.keys, clock);
		this.releases = new Releases(this.requests, this.keys, this.queue, this.sessions, cooldowns, this.givenUp);
		this.renewals = new Renewals(this.requests, this.givenUp, this.sessions);
		this.ticks = new Ticks(this.requests, this.keys, settings.tickRetention());
		this.inspection = new Inspection(this.requests, this.keys, this.queue, this.sessions, this.givenUp, cooldowns,
				clock);
		this.watchCheck = new WatchCheck(link, this.keys, refusals, clock, settings.callTimeout());
		this.sweep = new Sweep(this.requests, this.queue, this.keys, this.sessions, clock);
	}

	static Operation start(EtcdLink link, @Nullable String user, EtcdLockSettings settings, LockClock clock,
			BackendListener losses) {
		Operation operation = new Operation(link, user, settings, clock, losses);
		operation.sessions.open().whenComplete((session, fault) -> {
			if (fault != null) {
				logger.debug("No session could be opened in etcd yet", fault);
			}
		});
		operation.sweep.begin();
		operation.requests.onRecovery(operation::recovered);
		link.onNewChannel(operation::recovered);
		return operation;
	}

	/**
	 * Settle what was left open while etcd did not answer.
	 */
	private void recovered() {
		this.sessions.revokeLost();
		this.givenUp.deleteAll();
	}

	/**
	 * Give up every place, so that who waits behind them need not find out, then end the
	 * session and with it all that is left.
	 */
	void stop(Duration timeout) {
		this.sweep.end();
		this.givenUp.end();
		this.releases.leaveAll(timeout);
		this.sessions.stop(timeout);
		this.requests.link().close();
	}

	EtcdRequests requests() {
		return this.requests;
	}

	EtcdKeys keys() {
		return this.keys;
	}

	EtcdLockQueue queue() {
		return this.queue;
	}

	EtcdSessions sessions() {
		return this.sessions;
	}

	@Override
	public Releases releases() {
		return this.releases;
	}

	@Override
	public Renewals renewals() {
		return this.renewals;
	}

	Ticks ticks() {
		return this.ticks;
	}

	@Override
	public Inspection inspection() {
		return this.inspection;
	}

	WatchCheck watchCheck() {
		return this.watchCheck;
	}

	Sweep sweep() {
		return this.sweep;
	}

	GivenUpEntries givenUp() {
		return this.givenUp;
	}

}
