package io.distributedlock.it.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;

/**
 * A JVM of a cluster: an application with the starter, whose threads lock until they are
 * requested to end.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableConfigurationProperties(ClusterProperties.class)
public class ClusterApplication {

	@Bean
	static BeanPostProcessor plantedFault(Environment environment) {
		return environment.getProperty("cluster.fault", PlantedFault.class, PlantedFault.NONE).planter();
	}

	public static void main(String[] args) throws Exception {
		try (ConfigurableApplicationContext context = start(args)) {
			ClusterProperties properties = context.getBean(ClusterProperties.class);
			System.out.println("ready");
			Meeting.awaitBegin(properties.folder());
			work(context, properties);
			System.out.println("statements " + PlantedFault.statements());
		}
		System.out.println("finished");
	}

	private static ConfigurableApplicationContext start(String... args) {
		return new SpringApplicationBuilder(ClusterApplication.class).web(WebApplicationType.NONE).run(args);
	}

	/**
	 * Return what is left of locks at the store when all JVMs have ended, as another
	 * instance in this JVM sees it.
	 */
	static List<String> leftovers(List<String> arguments, List<String> keys) {
		try (ConfigurableApplicationContext context = start(arguments.toArray(String[]::new))) {
			List<String> left = new ArrayList<>();
			LockTemplate locks = context.getBean(LockTemplate.class);
			// Its store may not be connected yet.
			locks.acquire(LockRequest.of("another key").waitTime(Duration.ofMinutes(1))).release();
			// The startup check may have a lock of its own.
			context.getBean(Locks.class)
				.list()
				.filter((lock) -> keys.contains(lock.key()))
				.map(LockInfo::toString)
				.forEach(left::add);
			for (String key : keys) {
				locks.tryAcquire(key).ifPresentOrElse(Lease::release, () -> left.add("'" + key + "' is busy"));
			}
			return left;
		}
	}

	private static void work(ConfigurableApplicationContext context, ClusterProperties properties) throws Exception {
		LockTemplate locks = context.getBean(LockTemplate.class);
		Counters counters = new Counters(context.getBean(DataSource.class));
		try (ClusterLog log = new ClusterLog(properties.folder(), properties.name())) {
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < properties.threads(); i++) {
				long seed = properties.seed() + i;
				threads.add(new Thread(new ClusterWorker(locks, counters, log, properties, seed), "worker-" + i));
			}
			threads.forEach(Thread::start);
			for (Thread thread : threads) {
				thread.join();
			}
		}
	}

}
