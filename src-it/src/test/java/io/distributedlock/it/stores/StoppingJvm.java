package io.distributedlock.it.stores;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockLeaderElectionAutoConfiguration;
import io.distributedlock.autoconfigure.LockRegistryAutoConfiguration;
import io.distributedlock.integration.LeaderElection;

/**
 * A JVM with an application on each store, which has locked, has waited for a lock and
 * leads. Its arguments are the properties of each store, separated by bars.
 */
public final class StoppingJvm {

	private StoppingJvm() {
	}

	public static void main(String[] args) throws Exception {
		for (String store : args) {
			start(List.of(store.split("\\|")));
		}
		System.out.println("ready");
		new CountDownLatch(1).await();
	}

	/**
	 * Start an application that locks.
	 * @param properties the properties, {@code name=value}
	 * @return the application
	 */
	static ConfigurableApplicationContext start(List<String> properties) {
		SpringApplication application = new SpringApplication(Locking.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		ConfigurableApplicationContext context = application
			.run(properties.stream().map("--"::concat).toArray(String[]::new));
		LockTemplate template = context.getBean(LockTemplate.class);
		Lease held = template.acquire("key");
		CompletionStage<Lease> next = template.acquireAsync(LockRequest.of("key").waitTime(Duration.ofHours(1)));
		held.release();
		next.toCompletableFuture().join().release();
		Awaitility.await().until(() -> context.getBean(LeaderElection.class).isLeader("reports"));
		return context;
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class, LockLeaderElectionAutoConfiguration.class,
			LockRegistryAutoConfiguration.class })
	static class Locking {

	}

}
