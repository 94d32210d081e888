package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.ExecutorService;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.StoreOperation;
import io.distributedlock.spi.LockClock;

/**
 * What is there between start and stop.
 *
 * @param workers do what a driver blocks for
 * @param link the way to the server
 * @param requests encodes what is asked of it
 * @param commands runs the scripts of leases
 * @param replicas judges how many have a lease
 * @param notifications wake waiters after releases
 * @param releases releases leases
 * @param renewals renews leases
 * @param inspection looks at locks
 * @param eviction knows whether the server drops keys when its memory is full
 */
record Operation(ExecutorService workers, RedisLink link, RedisRequests requests, LeaseCommands commands,
		ReplicaAcknowledgements replicas, RedisNotifications notifications, RedisReleases releases,
		RedisRenewals renewals, RedisInspection inspection, EvictionPolicyCheck eviction) implements StoreOperation {

	/**
	 * How many connections of a pool may have fallen silent before one is taken as it is.
	 */
	private static final int MOST_SILENT = 16;

	/**
	 * A pool of the usual eight connections has these besides two for renewals and
	 * releases and one for the subscription.
	 */
	private static final int WORKERS = 5;

	static Operation start(RedisConnectionFactory factory, RedisLinkFactory links, RedisLockSettings settings,
			LockClock clock) {
		ExecutorService workers = RedisThreads.named("lock-redis", WORKERS);
		RedisRequests requests = new RedisRequests(settings);
		RedisLink link = links.open(factory, settings, workers, clock);
		LeaseCommands commands = new PlainLeaseCommands(link, requests);
		if (settings.failoverQuarantine()) {
			commands = new QuarantinedLeaseCommands(link, requests, settings, clock);
			// So that a quarantine begins, and ends, before somebody asks for a lock.
			link.onReconnect(commands::ready);
		}
		Duration timeout = settings.callTimeout();
		RedisNotifications notifications = new RedisNotifications(() -> answering(factory, link, timeout),
				link::breakSubscription, requests.keys().channel(), () -> link.run(requests.probe(), timeout), timeout,
				RedisFactoryDetails.user(factory), clock);
		link.onSilence(notifications::reconnect);
		link.open();
		ReplicaAcknowledgements replicas = new ReplicaAcknowledgements(settings.minReplicaAcks(),
				settings.replicaAcks());
		EvictionPolicyCheck eviction = new EvictionPolicyCheck(link, requests, timeout);
		return new Operation(workers, link, requests, commands, replicas, notifications,
				new RedisReleases(link, requests, commands, timeout, RedisFactoryDetails.user(factory)),
				new RedisRenewals(link, requests, commands, replicas, timeout, clock),
				new RedisInspection(link, requests, commands, eviction, timeout), eviction);
	}

	/**
	 * Take a connection for a subscription that has not fallen silent in the pool: on one
	 * that has it would never be confirmed.
	 */
	private static RedisConnection answering(RedisConnectionFactory factory, RedisLink link, Duration callTimeout) {
		RedisConnection connection = link.dedicated(factory.getConnection());
		for (int i = 0; i < MOST_SILENT && !link.answers(connection, callTimeout.dividedBy(MOST_SILENT)); i++) {
			// The pool closes what is broken.
			connection.close();
			connection = link.dedicated(factory.getConnection());
		}
		return connection;
	}

	/**
	 * Refuse what comes, end what is under way, give the connections back.
	 * @param timeout how long to wait
	 */
	void stop(Duration timeout) {
		this.notifications.close(timeout);
		this.commands.close();
		this.link.close();
		this.workers.shutdown();
		RedisThreads.awaitEnd(this.workers, timeout);
	}

}
