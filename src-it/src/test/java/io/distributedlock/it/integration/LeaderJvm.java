package io.distributedlock.it.integration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;

import io.distributedlock.integration.LeaderElection;
import io.distributedlock.integration.Leadership;

/**
 * A JVM that is a candidate for the same role in several stores, as one application in
 * each. Each argument is such a store: its name and its properties, one a line. It
 * records its notifications, the times in which it saw itself lead, and the times in
 * which it stood still, by the clock that all JVMs of a machine share.
 */
public final class LeaderJvm {

	static final String ROLE = "job";

	private static final long STANDSTILL = TimeUnit.MILLISECONDS.toNanos(50);

	private LeaderJvm() {
	}

	public static void main(String[] args) {
		Map<String, LeaderElection> elections = new HashMap<>();
		for (String argument : args) {
			List<String> lines = new ArrayList<>(List.of(argument.split("\n")));
			lines.set(0, "store=" + lines.get(0));
			lines.add("lock.leader-election.roles=" + ROLE);
			ConfigurableApplicationContext application = LockApplication.start(lines, Listeners.class);
			elections.put(argument.split("\n")[0], application.getBean(LeaderElection.class));
		}
		System.out.println("standing");
		Map<String, Sight> sights = new HashMap<>();
		long lookedAt = System.nanoTime();
		while (true) {
			long now = System.nanoTime();
			if (now - lookedAt > STANDSTILL) {
				System.out.println("stood " + lookedAt + " " + now);
			}
			lookedAt = now;
			elections.forEach((store, election) -> look(store, election, sights));
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
	}

	private static void look(String store, LeaderElection election, Map<String, Sight> sights) {
		long before = System.nanoTime();
		Leadership leadership = election.leadership(ROLE).orElse(null);
		long after = System.nanoTime();
		Sight sight = sights.get(store);
		if (sight != null && sight.leadership() != leadership) {
			sight.write(store);
			sights.remove(store);
		}
		if (leadership != null) {
			Sight known = sights.get(store);
			sights.put(store, new Sight(leadership, (known != null) ? known.from() : after, before));
		}
	}

	/**
	 * The time in which a leadership was seen.
	 *
	 * @param leadership the leadership
	 * @param from an instant after it was first seen
	 * @param until an instant before it was last seen
	 */
	private record Sight(@Nullable Leadership leadership, long from, long until) {

		void write(String store) {
			if (this.leadership != null && this.from <= this.until) {
				System.out.println(
						"led " + store + " " + this.leadership.fencingToken() + " " + this.from + " " + this.until);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		@Bean
		Listener leaderListener(Environment environment) {
			return new Listener(environment.getRequiredProperty("store"));
		}

	}

	/**
	 * Records its notifications.
	 *
	 * @param store the store
	 */
	record Listener(String store) {

		@EventListener
		void granted(OnGrantedEvent event) {
			write("granted", (Leadership) event.getContext());
		}

		@EventListener
		void revoked(OnRevokedEvent event) {
			write("revoked", (Leadership) event.getContext());
		}

		private void write(String what, Leadership leadership) {
			System.out.println(what + " " + this.store + " " + leadership.fencingToken() + " " + System.nanoTime());
		}

	}

}
