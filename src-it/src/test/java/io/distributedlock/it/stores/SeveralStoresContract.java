package io.distributedlock.it.stores;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.redis.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Contract for several stores in one application, each on a server of its own. The
 * connections to Redis can be cut.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SeveralStoresContract {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final TcpProxy redis = TcpProxy.to(RedisServer.port());

	private final List<String> stores;

	private final String[] properties;

	private Shop shop;

	private String id;

	private String key;

	/**
	 * Create the tests.
	 * @param stores the names of the stores, jdbc and redis among them
	 * @param properties the properties of their configuration
	 */
	SeveralStoresContract(List<String> stores, String... properties) {
		this.stores = stores;
		this.properties = properties;
	}

	@BeforeAll
	void open() {
		this.shop = Shop.open(this.stores, this.redis.port(), this.properties);
		this.shop.context().getBean(JdbcTemplate.class).execute("create table shipped (id varchar(50))");
	}

	@AfterAll
	void close() {
		this.shop.close();
		this.redis.close();
	}

	@BeforeEach
	void newKey() {
		this.id = UUID.randomUUID().toString();
		this.key = "order:" + this.id;
	}

	@AfterEach
	void nothingIsLeft() {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.shop.lockedAt(this.key)).isEmpty());
		assertThat(LockContext.find()).isEmpty();
	}

	@Test
	void locksOfTheSameKeyAreIndependent() {
		Map<String, Lease> leases = new HashMap<>();
		for (String store : this.stores) {
			leases.put(store, this.shop.template(store).acquire(this.key));
		}
		assertThat(this.shop.lockedAt(this.key)).isEqualTo(this.stores);

		List<String> left = new ArrayList<>(this.stores);
		for (String store : this.stores) {
			assertThat(this.shop.template().tryAcquire(LockRequest.of(this.key).backend(store))).as(store).isEmpty();
			assertThat(leases.get(store).release()).as(store).isTrue();
			left.remove(store);
			assertThat(this.shop.lockedAt(this.key)).isEqualTo(left);
			assertThat(left).allMatch((other) -> leases.get(other).isHeld());
		}
	}

	@Test
	void requestsThatNameNoStoreGoToTheDefaultOne() {
		Lease lease = this.shop.template().acquire(this.key);
		assertThat(this.shop.lockedAt(this.key)).containsExactly("jdbc");
		assertThat(lease.release()).isTrue();

		List<String> locked = this.shop.context()
			.getBean(Shipping.AtDefault.class)
			.ship(this.id, () -> this.shop.lockedAt(this.key));
		assertThat(locked).containsExactly("jdbc");
	}

	@Test
	void annotatedMethodsLockAtTheStoreThatTheyName() {
		for (String store : this.stores) {
			List<String> locked = this.shop.shipping(store).ship(this.id, () -> this.shop.lockedAt(this.key));

			assertThat(locked).containsExactly(store);
		}
	}

	@Test
	void methodsOfOneKeyNestAndEachIsShownTheLeaseOfItsStore() {
		Shipping jdbc = this.shop.shipping("jdbc");
		Shipping redis = this.shop.shipping("redis");
		jdbc.ship(this.id, () -> {
			Lease outer = LockContext.current(this.key);
			return redis.ship(this.id, () -> {
				Lease inner = LockContext.current(this.key);
				assertThat(inner).isNotSameAs(outer);
				assertThat(this.shop.lockedAt(this.key)).containsExactlyInAnyOrder("jdbc", "redis");

				Lease again = jdbc.ship(this.id, () -> LockContext.current(this.key));

				assertThat(again).isSameAs(outer);
				assertThat(LockContext.current(this.key)).isSameAs(inner);
				return null;
			});
		});
	}

	@Test
	void tokensGrowAtEachStore() {
		for (String store : this.stores) {
			Shipping shipping = this.shop.shipping(store);

			long first = shipping.ship(this.id, () -> LockContext.current().fencingToken());
			long second = this.shop.template(store).execute(this.key, Lease::fencingToken);
			long third = shipping.ship(this.id, () -> LockContext.current().fencingToken());

			assertThat(List.of(first, second, third)).as(store).isSorted().doesNotHaveDuplicates();
		}
	}

	@Test
	void registriesLockAtTheirStores() {
		List<Lock> locks = this.stores.stream()
			.map((store) -> (Lock) this.shop.registry(store).obtain(this.key))
			.toList();
		locks.forEach(Lock::lock);
		assertThat(this.shop.lockedAt(this.key)).isEqualTo(this.stores);

		List<Boolean> elsewhere = CompletableFuture
			.supplyAsync(() -> this.stores.stream()
				.map((store) -> this.shop.registry(store).obtain(this.key).tryLock())
				.toList())
			.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
			.join();

		assertThat(elsewhere).containsOnly(false);
		locks.forEach(Lock::unlock);
		assertThat(this.shop.lockedAt(this.key)).isEmpty();
	}

	@Test
	void ticksAreThoseOfTheirStore() {
		Instant tick = Instant.parse("2026-01-01T00:00:00Z");
		for (String store : this.stores) {
			LockRequest request = LockRequest.of(this.key).backend(store).tick(tick);

			this.shop.template().acquire(request).close();

			assertThatExceptionOfType(TickDoneException.class).as(store)
				.isThrownBy(() -> this.shop.template().acquire(request));
		}
	}

	@Test
	void transactionKeepsTheLeasesOfAllStoresUntilItHasCompleted() {
		transaction().executeWithoutResult((status) -> {
			this.stores.forEach((store) -> this.shop.shipping(store).ship(this.id, () -> null));

			assertThat(this.shop.lockedAt(this.key)).isEqualTo(this.stores);
			write();
		});

		assertThat(this.shop.lockedAt(this.key)).isEmpty();
		assertThat(written()).isOne();
	}

	@Test
	void transactionRollsBackWhenTheLeaseOfOneStoreIsLost() {
		for (String store : this.stores) {
			assertThatExceptionOfType(LeaseLostException.class).as(store)
				.isThrownBy(() -> transaction().executeWithoutResult((status) -> {
					this.stores.forEach((other) -> this.shop.shipping(other).ship(this.id, () -> null));
					write();
					this.shop.shipping(store).ship(this.id, () -> {
						lose(store, LockContext.current());
						return null;
					});
				}));

			assertThat(written()).as(store).isZero();
			assertThat(this.shop.lockedAt(this.key)).as(store).isEmpty();
		}
	}

	@Test
	void transactionInsideLocksOfTwoStoresRollsBackWhenTheOuterOneIsLost() {
		LockTemplate jdbc = this.shop.template("jdbc");
		LockTemplate redis = this.shop.template("redis");

		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> jdbc.execute(this.key,
				(outer) -> redis.execute(this.key, (inner) -> transaction().execute((status) -> {
					write();
					lose("jdbc", outer);
					return null;
				}))));

		assertThat(written()).isZero();
	}

	@Test
	void storeThatIsDownDisturbsNoOther() {
		Lease lost = this.shop.template("redis").acquire(LockRequest.of(this.key).ttl(Duration.ofSeconds(2)));
		Lease kept = this.shop.template("jdbc").acquire(this.key);
		this.redis.cut();
		try {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.shop.template("redis").tryAcquire("other:" + this.id))
				.withMessageContaining("'redis'");
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.shop.losses()).anySatisfy((event) -> {
				assertThat(event.backend()).isEqualTo("redis");
				assertThat(event.key()).isEqualTo(this.key);
			}));
			assertThat(lost.isHeld()).isFalse();
			for (String store : this.stores) {
				if (!store.equals("redis") && !store.equals("jdbc")) {
					assertThat(this.shop.shipping(store).ship(this.id, () -> LockContext.current().isHeld())).as(store)
						.isTrue();
				}
			}
			kept.verify();
			assertThat(kept.release()).isTrue();
		}
		finally {
			this.redis.restore();
		}
		await().atMost(PATIENCE)
			.ignoreException(LockUnavailableException.class)
			.until(() -> this.shop.shipping("redis").ship(this.id, () -> LockContext.current().isHeld()));
		assertThat(this.shop.losses()).filteredOn((event) -> event.key().equals(this.key))
			.extracting((event) -> event.backend())
			.containsExactly("redis");
	}

	/**
	 * Take a lock away, and let its holder notice it.
	 */
	private void lose(String store, Lease lease) {
		this.shop.forceRelease(store, this.key);
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::verify);
	}

	private TransactionTemplate transaction() {
		return new TransactionTemplate(this.shop.context().getBean(PlatformTransactionManager.class));
	}

	private void write() {
		this.shop.context().getBean(JdbcTemplate.class).update("insert into shipped values (?)", this.id);
	}

	private int written() {
		return this.shop.context()
			.getBean(JdbcTemplate.class)
			.queryForList("select id from shipped where id = ?", String.class, this.id)
			.size();
	}

}
