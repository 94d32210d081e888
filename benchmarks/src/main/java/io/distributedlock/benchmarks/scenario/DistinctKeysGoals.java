package io.distributedlock.benchmarks.scenario;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.Work;
import io.distributedlock.benchmarks.etcd.EtcdStore;
import io.distributedlock.benchmarks.jdbc.PostgresStore;
import io.distributedlock.benchmarks.local.LocalLocks;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Samples;
import io.distributedlock.benchmarks.redis.RedisStore;
import io.distributedlock.benchmarks.redlock.RedlockStore;
import io.distributedlock.benchmarks.report.Goal;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.zookeeper.ZooKeeperStore;

/**
 * The goals for locks without contention.
 */
final class DistinctKeysGoals {

	private static final double OF_BARE = 0.95;

	private static final double OF_BARE_NODES = 0.9;

	private static final double OF_REDISSON_REDLOCK = 5;

	private static final int MANY_THREADS = 64;

	private DistinctKeysGoals() {
	}

	static void check(Store store, int threads, Comparison all, Report report) {
		Samples subject = all.of(Contestant.SUBJECT);
		String what = store.name() + ", " + threads + ((threads == 1) ? " thread" : " threads");
		if (store.name().equals(LocalLocks.NAME)) {
			// A lock of the JVM needs no lease, so it is no measure for one.
			return;
		}
		double ofBare = store.name().startsWith("Redlock") ? OF_BARE_NODES : OF_BARE;
		report.add(Goal.atLeast(what, "of the bare commands", ofBare, subject.ratioTo(all.of(Contestant.BARE))));
		for (Contestant peer : store.contestants()) {
			Double required = required(store, threads, peer);
			if (required != null) {
				report.add(Goal.atLeast(what, "times " + peer.name(), required, subject.ratioTo(all.of(peer.name()))));
			}
		}
	}

	private static @Nullable Double required(Store store, int threads, Contestant peer) {
		return switch (peer.name()) {
			case RedisStore.REDISSON_FENCED -> (threads >= MANY_THREADS) ? 2.5 : 1.0;
			case RedisStore.SPRING_INTEGRATION -> 1.0;
			case PostgresStore.SHED_LOCK, PostgresStore.SPRING_INTEGRATION ->
				store.name().equals(PostgresStore.NAME) ? 1.6 : null;
			case RedlockStore.REDISSON -> OF_REDISSON_REDLOCK;
			// With one thread it is as fast as the bare commands.
			case ZooKeeperStore.CURATOR -> (threads > 1) ? 1.0 : null;
			// It does less, but is what a client of etcd would use otherwise.
			case EtcdStore.LOCK_SERVICE -> 1.0;
			default -> (peer.work() == Work.SAME) ? 1.0 : null;
		};
	}

}
