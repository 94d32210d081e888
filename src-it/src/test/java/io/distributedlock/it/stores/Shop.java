package io.distributedlock.it.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

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
import org.springframework.context.event.EventListener;

import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockRegistryAutoConfiguration;
import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

/**
 * An application whose locks are in several stores, with jdbc as the default one.
 *
 * @param stores the names of the stores
 * @param context the application
 */
record Shop(List<String> stores, ConfigurableApplicationContext context) implements AutoCloseable {

	private static final Map<String, Class<? extends Shipping>> SHIPPING = Map.of("jdbc", Shipping.AtJdbc.class,
			"redis", Shipping.AtRedis.class, "redlock", Shipping.AtRedlock.class, "zookeeper",
			Shipping.AtZooKeeper.class, "etcd", Shipping.AtEtcd.class);

	/**
	 * Start the application.
	 * @param stores the names of the stores
	 * @param redisPort the port of Redis
	 * @param properties further properties
	 */
	static Shop open(List<String> stores, int redisPort, String... properties) {
		List<String> all = new ArrayList<>(List.of("lock.backends=" + String.join(",", stores), "lock.backend=jdbc",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(), "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redisPort,
				"lock.zookeeper.connect-string=" + ZooKeeperServer.connectString(), "lock.redlock.nodes=" + nodes(),
				"lock.redlock.node-timeout=2s", "lock.redlock.quarantine-on-empty=false",
				"lock.key-prefix=" + UUID.randomUUID() + ":", "spring.main.banner-mode=off"));
		all.addAll(List.of(properties));
		// Do not read the properties file of another module.
		all.add("spring.config.name=shop");
		List<Class<?>> sources = new ArrayList<>(List.of(Application.class, Shipping.AtDefault.class));
		stores.forEach((store) -> sources.add(SHIPPING.get(store)));
		ConfigurableApplicationContext context = new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
			.web(WebApplicationType.NONE)
			.run(all.stream().map((property) -> "--" + property).toArray(String[]::new));
		return new Shop(stores, context);
	}

	private static String nodes() {
		return RedlockServers.shared()
			.first(3)
			.all()
			.stream()
			.map((server) -> "redis://127.0.0.1:" + server.port())
			.collect(Collectors.joining(","));
	}

	LockTemplate template() {
		return this.context.getBean(LockTemplate.class);
	}

	LockTemplate template(String store) {
		return this.context.getBean(store + "LockTemplate", LockTemplate.class);
	}

	LeaseLockRegistry registry(String store) {
		return this.context.getBean(store + "LockRegistry", LeaseLockRegistry.class);
	}

	Shipping shipping(String store) {
		return this.context.getBean(SHIPPING.get(store));
	}

	/**
	 * Return the stores at which a key is locked.
	 */
	List<String> lockedAt(String key) {
		return this.stores.stream()
			.filter((store) -> this.context.getBean(store + "Locks", Locks.class).find(key).isPresent())
			.toList();
	}

	void forceRelease(String store, String key) {
		this.context.getBean(store + "Locks", Locks.class).forceRelease(key);
	}

	/**
	 * Return the losses that were published.
	 */
	List<LeaseLostEvent> losses() {
		return this.context.getBean(Application.class).losses;
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class, LockRegistryAutoConfiguration.class })
	static class Application {

		private final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

		@EventListener
		void onLoss(LeaseLostEvent event) {
			this.losses.add(event);
		}

	}

}
