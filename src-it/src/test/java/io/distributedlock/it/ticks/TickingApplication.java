package io.distributedlock.it.ticks;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import io.distributedlock.DistributedLock;
import io.distributedlock.autoconfigure.LockAutoConfiguration;

/**
 * An instance with jobs, each of which is disabled unless a property sets its schedule.
 * Many instances start at once, so each is configured with the minimum.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
		LockAutoConfiguration.class })
@EnableScheduling
class TickingApplication {

	/**
	 * Start an instance.
	 * @param news receives the ticks, and runs their bodies
	 * @param properties {@code name=value}
	 * @return its context, to be closed
	 */
	static ConfigurableApplicationContext start(TickNews news, List<String> properties) {
		Stream<String> common = Stream.of("spring.config.name=none", "spring.jmx.enabled=false",
				"spring.main.banner-mode=off");
		return new SpringApplicationBuilder(TickingApplication.class).web(WebApplicationType.NONE)
			.initializers((context) -> context.getBeanFactory().registerSingleton("news", news))
			.run(Stream.concat(common, properties.stream()).map((property) -> "--" + property).toArray(String[]::new));
	}

	@Bean
	ThreadPoolTaskScheduler taskScheduler(@Value("${ticks.behind:0s}") Duration behind) {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(3);
		scheduler.setClock(Clock.offset(Clock.systemUTC(), behind.negated()));
		return scheduler;
	}

	@Bean
	Jobs jobs(TickNews news) {
		return new Jobs(news);
	}

	/**
	 * The jobs, named after the way in which the instance that runs them ends.
	 */
	static class Jobs {

		private final TickNews news;

		Jobs(TickNews news) {
			this.news = news;
		}

		@Scheduled(cron = "${ticks.exit:-}")
		@DistributedLock(name = "exit", ttl = "2s")
		void exit() {
			this.news.run("exit");
		}

		@Scheduled(cron = "${ticks.halt:-}")
		@DistributedLock(name = "halt", ttl = "2s")
		void halt() {
			this.news.run("halt");
		}

		@Scheduled(cron = "${ticks.stall:-}")
		@DistributedLock(name = "stall", ttl = "2s")
		void stall() {
			this.news.run("stall");
		}

	}

}
