package io.distributedlock.it.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Moves the locks of a guarded account from store to store. While instances with the old
 * and the new store overlap, they do not exclude each other, and their bodies run at the
 * same time. Guards refuse every write of the earlier epoch after the first one of the
 * later.
 */
@RequiresEtcd
class StoreMigrationIntegrationTests {

	private static final int RUNS = 40;

	private final String database = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	private final String prefix = "lock.key-prefix=" + UUID.randomUUID() + ":";

	// The number of running bodies, and of bodies that began while another one ran.
	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicInteger overlaps = new AtomicInteger();

	@Test
	void epochsMoveAGuardedResourceFromStoreToStore() {
		Site site = start("jdbc", 0);
		site.jdbc().execute("create table entry (id bigint generated always as identity, token bigint not null)");
		try {
			assertThat(run(site)).as("writes of %s", site.name()).isEqualTo(RUNS);
			site = move(site, start("zookeeper", 1));
			site = move(site, start("etcd", 2));
			site = move(site, start("redis", 3));

			List<Long> tokens = site.jdbc().queryForList("select token from entry order by id", Long.class);
			assertThat(tokens).isSorted();
			assertThat(tokens).extracting((token) -> token >> 56).contains(0L, 1L, 2L, 3L);
		}
		finally {
			site.close();
		}
	}

	@Test
	void withoutEpochsAStoreWithSmallerTokensIsRefusedForGood() {
		try (Site jdbc = start("jdbc", 0)) {
			jdbc.jdbc().execute("create table entry (id bigint generated always as identity, token bigint not null)");
			assertThat(run(jdbc)).isEqualTo(RUNS);
		}
		try (Site zookeeper = start("zookeeper", 0)) {
			assertThat(run(zookeeper)).as("writes that the guard lets pass").isZero();
		}
	}

	/**
	 * Let two instances overlap, and stop the old one.
	 */
	private Site move(Site old, Site next) {
		int before = this.overlaps.get();
		int refused = 0;
		Lease late = old.template().acquire(Site.KEY);
		try (Lease first = next.template().acquire(Site.KEY)) {
			enter();
			enter();
			assertThat(late.isHeld()).isTrue();
			assertThat(first.isHeld()).isTrue();
			assertThat(old.write(late)).as("a write of %s before the first of %s", old.name(), next.name()).isTrue();
			assertThat(next.write(first)).as("the first write of %s", next.name()).isTrue();
			assertThat(old.write(late)).as("a late write of %s", old.name()).isFalse();
			refused++;
			leave();
			leave();
		}
		assertThat(late.release()).isTrue();

		CompletableFuture<Integer> oldWrites = CompletableFuture.supplyAsync(() -> run(old));
		CompletableFuture<Integer> nextWrites = CompletableFuture.supplyAsync(() -> run(next));
		assertThat(nextWrites.orTimeout(2, TimeUnit.MINUTES).join()).as("writes of %s", next.name()).isEqualTo(RUNS);
		assertThat(oldWrites.orTimeout(2, TimeUnit.MINUTES).join()).as("late writes of %s", old.name()).isZero();
		refused += RUNS;
		old.close();

		assertThat(run(next)).as("writes of %s alone", next.name()).isEqualTo(RUNS);
		int overlapping = this.overlaps.get() - before;
		assertThat(overlapping).as("bodies of %s beside those of %s", next.name(), old.name()).isPositive();
		System.out.printf("== %s -> %s: %d late writes refused, %d overlapping bodies%n", old.name(), next.name(),
				refused, overlapping);
		return next;
	}

	/**
	 * Write under the lock again and again.
	 * @return how many writes the guard has let pass
	 */
	private int run(Site site) {
		int written = 0;
		for (int i = 0; i < RUNS; i++) {
			try (Lease lease = site.template().acquire(Site.KEY)) {
				enter();
				if (site.write(lease)) {
					written++;
				}
				leave();
			}
		}
		return written;
	}

	private void enter() {
		if (this.inside.incrementAndGet() > 1) {
			this.overlaps.incrementAndGet();
		}
	}

	private void leave() {
		this.inside.decrementAndGet();
	}

	private Site start(String store, int epoch) {
		List<String> of = switch (store) {
			case "zookeeper" -> List.of("lock.zookeeper.connect-string=" + ZooKeeperServer.connectString());
			case "etcd" -> List.of("lock.etcd.endpoints=" + EtcdServer.url());
			case "redis" -> List.of("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + RedisServer.port());
			default -> List.of();
		};
		List<String> properties = new ArrayList<>(of);
		properties.add("lock.backend=" + store);
		properties.add(this.prefix);
		return Site.start(this.database, epoch, properties);
	}

}
