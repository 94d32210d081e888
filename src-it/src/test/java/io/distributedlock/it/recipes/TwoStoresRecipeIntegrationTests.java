package io.distributedlock.it.recipes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockFencingAutoConfiguration;
import io.distributedlock.documentation.ShownProperties;
import io.distributedlock.fencing.FencingGuard;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.redis.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The recipe for locks in a database and in Redis, on a PostgreSQL and a Redis that can
 * be cut off.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TwoStoresRecipeIntegrationTests {

	private final TcpProxy redis = TcpProxy.to(RedisServer.port());

	private final String prefix = UUID.randomUUID().toString().substring(0, 8);

	private ConfigurableApplicationContext context;

	@BeforeAll
	void open() {
		List<String> properties = new ArrayList<>(List.of(ShownProperties.of("recipe-two-stores")));
		properties.addAll(List.of("spring.datasource.url=" + PostgresServer.url(), "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + this.redis.port(), "lock.jdbc.initialize-schema=always",
				"lock.fencing.initialize-schema=always", "lock.key-prefix=" + this.prefix + ":",
				"spring.config.name=recipes", "spring.main.banner-mode=off"));
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run(properties.stream().map((property) -> "--" + property).toArray(String[]::new));
	}

	@AfterAll
	void close() {
		this.context.close();
		this.redis.close();
	}

	@Test
	void eachLockIsInItsStore() {
		this.context.getBean(Shop.class).ship(1);
		this.context.getBean(Shop.class).renderThumbnails(7);
		assertThat(this.context.getBean(Teasers.class).refresh()).isTrue();

		assertThat(this.context.getBean(Witness.class).seen).containsEntry("order:1", List.of("jdbc"))
			.containsEntry("thumbnails:7", List.of("redis"))
			.containsEntry("teaser", List.of("redis"));
	}

	@Test
	void ordersAreShippedWhileRedisIsAway() {
		Shop shop = this.context.getBean(Shop.class);
		this.redis.cut();
		try {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> shop.renderThumbnails(8));

			shop.ship(2);
		}
		finally {
			this.redis.restore();
		}
		assertThat(this.context.getBean(Orders.class).state(2)).isEqualTo("SHIPPED");
	}

	public static class Shop {

		private final FencingGuard guard;

		private final Orders orders;

		private final Renderer renderer;

		Shop(FencingGuard guard, Orders orders, Renderer renderer) {
			this.guard = guard;
			this.orders = orders;
			this.renderer = renderer;
		}

		// tag::two-stores[]
		@DistributedLock(name = "order", key = "#orderId", fenced = true)
		@Transactional
		public void ship(long orderId) {
			this.guard.check("order:" + orderId);
			this.orders.setState(orderId, "SHIPPED");
		}

		@DistributedLock(name = "thumbnails", key = "#productId", waitTime = "0s", backend = "redis")
		public void renderThumbnails(long productId) {
			this.renderer.renderThumbnails(productId);
		}
		// end::two-stores[]

	}

	public static class Teasers {

		private final LockTemplate locks;

		private final Renderer renderer;

		// tag::two-stores-template[]
		Teasers(@Qualifier("redisLockTemplate") LockTemplate locks, Renderer renderer) {
			this.locks = locks;
			this.renderer = renderer;
		}

		public boolean refresh() {
			return this.locks.tryExecuteWithoutResult("teaser", (lease) -> this.renderer.renderTeaser());
		}
		// end::two-stores-template[]

	}

	/**
	 * The table of orders.
	 */
	static class Orders {

		private final JdbcTemplate jdbc;

		private final Witness witness;

		Orders(JdbcTemplate jdbc, Witness witness) {
			this.jdbc = jdbc;
			this.witness = witness;
			jdbc.execute("CREATE TABLE IF NOT EXISTS recipe_order (id bigint PRIMARY KEY, state varchar(20))");
		}

		void setState(long orderId, String state) {
			this.witness.look("order:" + orderId);
			this.jdbc.update("INSERT INTO recipe_order VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = ?", orderId,
					state, state);
		}

		String state(long orderId) {
			return this.jdbc.queryForObject("SELECT state FROM recipe_order WHERE id = ?", String.class, orderId);
		}

	}

	/**
	 * Renders pictures.
	 */
	static class Renderer {

		private final Witness witness;

		Renderer(Witness witness) {
			this.witness = witness;
		}

		void renderThumbnails(long productId) {
			this.witness.look("thumbnails:" + productId);
		}

		void renderTeaser() {
			this.witness.look("teaser");
		}

	}

	/**
	 * Sees at which stores a key is locked. A store that is away has no locks.
	 */
	static class Witness {

		private final Map<String, List<String>> seen = new ConcurrentHashMap<>();

		private final Map<String, Locks> stores;

		Witness(@Qualifier("jdbcLocks") Locks jdbc, @Qualifier("redisLocks") Locks redis) {
			this.stores = Map.of("jdbc", jdbc, "redis", redis);
		}

		void look(String key) {
			this.seen.put(key,
					this.stores.entrySet()
						.stream()
						.filter((store) -> isLocked(store.getValue(), key))
						.map(Map.Entry::getKey)
						.toList());
		}

		private static boolean isLocked(Locks store, String key) {
			try {
				return store.find(key).isPresent();
			}
			catch (LockUnavailableException ex) {
				return false;
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Shop.class, Teasers.class, Orders.class, Renderer.class, Witness.class })
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class, LockFencingAutoConfiguration.class })
	static class Application {

	}

}
