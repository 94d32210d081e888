package io.distributedlock.it.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.operations.OperatedApplication.Answer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for the health and the endpoint of an application whose store is up, slow,
 * down, and up again. Prints what both show.
 */
abstract class OperationsContract {

	private static final String KEY = "order:42";

	private static final Duration SLOW = Duration.ofMillis(800);

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final List<TcpProxy> proxies = new ArrayList<>();

	private OperatedApplication application;

	/**
	 * Return the name of the store.
	 */
	abstract String store();

	/**
	 * Return the ports of the servers on 127.0.0.1.
	 */
	abstract List<Integer> ports();

	/**
	 * Return the properties by which an application uses the store.
	 * @param ports the ports of the servers on 127.0.0.1
	 * @return the properties, {@code name=value}
	 */
	abstract List<String> properties(List<Integer> ports);

	/**
	 * Assert what only this store shows while it is up.
	 * @param health the health of the store
	 */
	void assertParticulars(Answer health) {
	}

	@BeforeEach
	void start() {
		ports().forEach((port) -> this.proxies.add(TcpProxy.to(port)));
		List<String> properties = new ArrayList<>(properties(this.proxies.stream().map(TcpProxy::port).toList()));
		// Calls of several round trips succeed while each is slow, and the lease outlives
		// the outage. Each request for the health is answered anew.
		properties.addAll(List.of("lock.backend=" + store(), "lock.ttl=60s", "lock.call-timeout=8s",
				"lock.health.interval=100ms"));
		this.application = OperatedApplication.start(properties);
	}

	@AfterEach
	void stop() {
		this.proxies.forEach(TcpProxy::restore);
		this.application.close();
		this.proxies.forEach(TcpProxy::close);
	}

	@Test
	void healthAndEndpointFollowTheStore() {
		Lease lease = this.application.locks().acquire(LockRequest.of(KEY).name("ship"));

		Answer up = await("UP");
		assertThat(up.status()).isEqualTo(200);
		assertThat(up.read("$.details.store")).isEqualTo(store());
		assertThat(up.read("$.details.latencyMs")).isNotNull();
		assertThat(up.read("$.details.circuit")).isEqualTo("closed");
		assertParticulars(up);
		assertWaiterAndPages(up, lease);

		this.proxies.forEach((proxy) -> proxy.delay(SLOW));
		Answer slow = await("SLOW");
		assertThat(slow.status()).isEqualTo(200);
		assertThat((Integer) slow.read("$.details.latencyMs")).isGreaterThan(500);
		assertShown(print("slow", slow), lease);

		this.proxies.forEach((proxy) -> proxy.delay(Duration.ZERO));
		this.proxies.forEach(TcpProxy::cut);
		Answer down = await("DOWN");
		assertThat(down.status()).isEqualTo(503);
		assertThat(down.read("$.details.error")).isNotNull();
		Phase cut = print("down", down);
		assertThat(cut.instance().status()).isEqualTo(200);
		assertThat(cut.page().status()).isEqualTo(503);
		assertThat(cut.lock().status()).isEqualTo(503);
		assertThat(cut.lock().read("$.reason")).isEqualTo("unavailable");

		this.proxies.forEach(TcpProxy::restore);
		assertThat(await("UP").status()).isEqualTo(200);
		// It may have been lost.
		lease.release();
		Lease next = this.application.locks().acquire(LockRequest.of(KEY).name("ship").waitTime(PATIENCE));
		assertShown(print("back", await("UP")), next);
		next.close();
		assertThat(lock().read("$.reason")).isEqualTo("free");
	}

	private void assertWaiterAndPages(Answer health, Lease lease) {
		Lease other = this.application.locks().acquire(LockRequest.of("order:43").name("ship"));
		CompletableFuture<Lease> waiting = this.application.locks()
			.acquireAsync(LockRequest.of(KEY).name("bill").waitTime(PATIENCE))
			.toCompletableFuture();
		awaitWaiters(1);

		Phase phase = print("up", health);
		Answer page = this.application.get("/locks/" + store() + "?limit=1");
		System.out.println(page);

		String waiter = "$.stores." + store() + ".waiting[0]";
		assertThat(phase.instance().read(waiter + ".keys")).isEqualTo(List.of(KEY));
		assertThat(phase.instance().read(waiter + ".name")).isEqualTo("bill");
		assertThat(phase.lock().read("$.localWaiters")).isEqualTo(1);
		assertThat(page.read("$.locks")).asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(1);
		assertThat(page.read("$.next")).isNotNull();
		assertShown(phase, lease);
		waiting.cancel(true);
		other.close();
		awaitWaiters(0);
	}

	private void awaitWaiters(int number) {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.application.get("/locks").read("$.stores." + store() + ".waitingCount"),
					(count) -> count.equals(number));
	}

	private Answer await(String status) {
		return Awaitility.await(store() + " is " + status)
			.atMost(PATIENCE)
			.until(() -> this.application.get("/health/locks/" + store()),
					(answer) -> status.equals(answer.read("$.status")));
	}

	private Answer lock() {
		return this.application.get("/locks/" + store() + "?key=" + KEY);
	}

	private Phase print(String name, Answer health) {
		Phase phase = new Phase(health, this.application.get("/locks"), lock(),
				this.application.get("/locks/" + store()));
		System.out.println("== " + store() + ", " + name + "\n" + phase.health() + "\n" + phase.instance() + "\n"
				+ phase.lock() + "\n" + phase.page());
		return phase;
	}

	private void assertShown(Phase phase, Lease lease) {
		String held = "$.stores." + store() + ".held[0]";
		assertThat(phase.instance().read(held + ".keys")).isEqualTo(List.of(KEY));
		assertThat(phase.instance().read(held + ".fencingToken")).isEqualTo(Long.toString(lease.fencingToken()));
		assertThat(phase.lock().status()).isEqualTo(200);
		assertThat(phase.lock().read("$.reason")).isEqualTo("held-here");
		assertThat(phase.lock().read("$.holder.instance")).isEqualTo("shop@one");
		assertThat(phase.page().status()).isEqualTo(200);
		assertThat(phase.page().read("$.locks[*].key")).asInstanceOf(InstanceOfAssertFactories.LIST).contains(KEY);
	}

	/**
	 * What the application shows while its store is in one state.
	 *
	 * @param health the health of the store
	 * @param instance the leases of the instance
	 * @param lock one lock
	 * @param page the locks of all instances
	 */
	private record Phase(Answer health, Answer instance, Answer lock, Answer page) {
	}

}
