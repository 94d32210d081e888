package io.distributedlock.it.weaving;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.weaving.WovenOrders.ClassOrders;
import io.distributedlock.it.weaving.WovenOrders.FinalMethodOrders;
import io.distributedlock.it.weaving.WovenOrders.FinalOrders;
import io.distributedlock.it.weaving.WovenOrders.SubOrders;
import io.distributedlock.spi.LockListener;

/**
 * Calls woven methods, before there is an application context, with one, with two, and
 * when they are closed, and records the results.
 */
public final class WovenApplication {

	private WovenApplication() {
	}

	public static void main(String[] args) throws Exception {
		WovenOrders stranger = new WovenOrders();
		say("before", () -> stranger.ship(1));
		say("unlocked before", () -> new ClassOrders().unlocked());
		ConfigurableApplicationContext first = start();
		withOne(first, stranger);
		ConfigurableApplicationContext second = start();
		say("stranger of two", () -> stranger.ship(1));
		say("first of two", () -> countedIn(first, second, first));
		say("second of two", () -> countedIn(second, first, second));
		first.close();
		say("closed", () -> shipAgain(first));
		say("stranger after the first", () -> stranger.ship(1));
		second.close();
		say("after", () -> stranger.ship(1));
		say("bodies", () -> String.valueOf(WovenOrders.BODIES.get()));
	}

	private static WovenOrders closedBean;

	private static String shipAgain(ConfigurableApplicationContext closed) {
		return closedBean.shipPrivately(1) + closed;
	}

	private static void withOne(ConfigurableApplicationContext context, WovenOrders stranger) throws Exception {
		WovenOrders bean = context.getBean(WovenOrders.class);
		closedBean = bean;
		say("self", () -> bean.shipThroughThis(2));
		say("private", () -> bean.shipPrivately(3));
		say("static", () -> WovenOrders.shipStatically(4));
		say("stranger", () -> stranger.ship(5));
		int before = acquisitions(context);
		say("proxied", () -> bean.counted() + " " + (acquisitions(context) - before) + " " + AopUtils.isAopProxy(bean));
		FinalOrders finals = context.getBean(FinalOrders.class);
		say("final", () -> finals.ship() + " " + AopUtils.isAopProxy(finals));
		FinalMethodOrders finalMethods = context.getBean(FinalMethodOrders.class);
		say("final method", () -> finalMethods.ship() + " " + AopUtils.isAopProxy(finalMethods));
		say("class", () -> context.getBean("classOrders", ClassOrders.class).shipThroughThis());
		say("object", () -> context.getBean("classOrders", ClassOrders.class).toString());
		say("inherited", () -> new SubOrders().callsMore());
		say("fails", () -> {
			bean.fails();
			return "no exception";
		});
		try (Lease other = context.getBean(LockTemplate.class).acquire("busy")) {
			say("falls back", () -> bean.fallsBack() + other.isHeld());
		}
	}

	private static String countedIn(ConfigurableApplicationContext caller, ConfigurableApplicationContext other,
			ConfigurableApplicationContext own) {
		int here = acquisitions(own);
		int there = acquisitions(other);
		String key = caller.getBean(WovenOrders.class).shipPrivately(7);
		return key + " " + (acquisitions(own) - here) + " " + (acquisitions(other) - there);
	}

	/**
	 * Return how many leases have come from the store. Listeners are notified in order,
	 * so a listener that was notified of the last lease was notified of all.
	 */
	private static int acquisitions(ConfigurableApplicationContext context) {
		List<String> keys = context.getBean(Acquisitions.class).keys;
		String last = "last:" + UUID.randomUUID();
		context.getBean(LockTemplate.class).acquire(last).close();
		Awaitility.await().until(() -> keys.contains(last));
		return (int) keys.stream().filter((key) -> !key.startsWith("last:")).count();
	}

	private static void say(String what, Callable<String> call) throws Exception {
		String result;
		try {
			result = call.call();
		}
		catch (Throwable ex) {
			result = ex.getClass().getSimpleName() + " " + ex.getMessage();
		}
		System.out.println("[" + what + "] " + result);
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(Beans.class).web(WebApplicationType.NONE)
			.run("--lock.backend=local", "--lock.annotations.strict=true");
	}

	/**
	 * Records the keys of the leases that come from the store.
	 */
	static class Acquisitions implements LockListener {

		private final List<String> keys = new CopyOnWriteArrayList<>();

		@Override
		public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
			this.keys.add(lease.key());
		}

	}

	/**
	 * Yields another key each time.
	 */
	public static class Counter {

		private int next;

		public int next() {
			return ++this.next;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ AopAutoConfiguration.class, LockAutoConfiguration.class })
	static class Beans {

		@Bean
		Acquisitions acquisitions() {
			return new Acquisitions();
		}

		@Bean
		Counter counter() {
			return new Counter();
		}

		@Bean
		WovenOrders orders() {
			return new WovenOrders();
		}

		@Bean
		FinalOrders finalOrders() {
			return new FinalOrders();
		}

		@Bean
		FinalMethodOrders finalMethodOrders() {
			return new FinalMethodOrders();
		}

		@Bean
		ClassOrders classOrders() {
			return new ClassOrders();
		}

	}

}
