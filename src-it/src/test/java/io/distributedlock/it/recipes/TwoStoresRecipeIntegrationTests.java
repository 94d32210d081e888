package io.distributedlock.it.recipes;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

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
		this.context.getBean(JdbcTemplate.class)
			.execute("CREATE TABLE IF NOT EXISTS recipe_order (id bigint PRIMARY KEY, state varchar(20))");
	}

	@AfterAll
	void close() {
		this.context.close();
		this.redis.close();
	}

	@Test
	void eachLockIsInItsStore() {
		Shop shop = this.context.getBean(Shop.class);
		shop.during = () -> assertThat(lockedAt("order:1")).containsExactly("jdbc");
		shop.ship(1);
		shop.during = () -> assertThat(lockedAt("thumbnails:1")).containsExactly("redis");
		shop.renderThumbnails(1);
		shop.during = () -> assertThat(lockedAt("teaser")).containsExactly("redis");

		assertThat(this.context.getBean(Teasers.class).refresh()).isTrue();
	}

	@Test
	void ordersAreShippedWhileRedisIsAway() {
		Shop shop = this.context.getBean(Shop.class);
		shop.during = () -> {
		};
		this.redis.cut();
		try {
			shop.ship(2);

			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> shop.renderThumbnails(2));
		}
		finally {
			this.redis.restore();
		}
		assertThat(this.context.getBean(JdbcTemplate.class)
			.queryForObject("SELECT state FROM recipe_order WHERE id = 2", String.class)).isEqualTo("SHIPPED");
	}

	private List<String> lockedAt(String key) {
		return List.of("jdbc", "redis")
			.stream()
			.filter((store) -> this.context.getBean(store + "Locks", Locks.class).find(key).isPresent())
			.toList();
	}

	static class Shop {

		private final JdbcTemplate jdbc;

		private final FencingGuard guard;

		private volatile Runnable during;

		Shop(JdbcTemplate jdbc, FencingGuard guard) {
			this.jdbc = jdbc;
			this.guard = guard;
		}

		// tag::two-stores[]
		@DistributedLock(name = "order", key = "#orderId", fenced = true)
		@Transactional
		public void ship(long orderId) {
			this.guard.check("order:" + orderId);
			setState(orderId, "SHIPPED");
		}

		@DistributedLock(name = "thumbnails", key = "#orderId", waitTime = "0s", backend = "redis")
		public void renderThumbnails(long orderId) {
			render(orderId);
		}
		// end::two-stores[]

		private void setState(long orderId, String state) {
			this.jdbc.update("INSERT INTO recipe_order VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = ?", orderId,
					state, state);
			this.during.run();
		}

		private void render(long orderId) {
			this.during.run();
		}

	}

	static class Teasers {

		private final LockTemplate locks;

		private final Shop shop;

		// tag::two-stores-template[]
		Teasers(@Qualifier("redisLockTemplate") LockTemplate locks, Shop shop) {
			this.locks = locks;
			this.shop = shop;
		}

		public boolean refresh() {
			return this.locks.tryExecuteWithoutResult("teaser", (lease) -> this.shop.render(0));
		}
		// end::two-stores-template[]

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Shop.class, Teasers.class })
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class, LockFencingAutoConfiguration.class })
	static class Application {

	}

}
