package io.distributedlock.it.stores;

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.StaleTokenException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockFencingAutoConfiguration;
import io.distributedlock.fencing.FencingGuard;

/**
 * One instance of an application that writes to an account under a lock and a guard: the
 * guard and the account in one database, the lock in any store.
 *
 * @param name its name in reports
 * @param context the application
 */
record Site(String name, ConfigurableApplicationContext context) implements AutoCloseable {

	static final String KEY = "account:1";

	/**
	 * Start an instance.
	 * @param database the URL of the database of the account
	 * @param epoch its token epoch
	 * @param properties the properties of its store
	 */
	static Site start(String database, int epoch, List<String> properties) {
		List<String> all = new ArrayList<>(List.of("spring.config.name=none", "spring.jmx.enabled=false",
				"spring.main.banner-mode=off", "logging.level.io.etcd.jetcd.impl=error",
				"spring.datasource.url=" + database, "lock.fencing.initialize-schema=always",
				"lock.jdbc.initialize-schema=always", "lock.token-epoch=" + epoch));
		all.addAll(properties);
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.run(all.stream().map((property) -> "--" + property).toArray(String[]::new));
		return new Site(context.getEnvironment().getProperty("lock.backend") + " (epoch " + epoch + ")", context);
	}

	LockTemplate template() {
		return this.context.getBean(LockTemplate.class);
	}

	JdbcTemplate jdbc() {
		return new JdbcTemplate(this.context.getBean(DataSource.class));
	}

	/**
	 * Write under a lease, if the guard allows it.
	 * @return whether it was written
	 */
	boolean write(Lease lease) {
		DataSource database = this.context.getBean(DataSource.class);
		try {
			new TransactionTemplate(new DataSourceTransactionManager(database)).executeWithoutResult((status) -> {
				this.context.getBean(FencingGuard.class).check(KEY, lease);
				jdbc().update("insert into entry (token) values (?)", lease.fencingToken());
			});
			return true;
		}
		catch (StaleTokenException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class, LockFencingAutoConfiguration.class })
	static class Application {

	}

}
