package io.distributedlock.it.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcTestNode;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many waiters of one JVM, each for a key of its own, behind a network that may fail.
 */
@FurtherTopology
public abstract class WaitingCrowdContract {

	private static final Duration OUTAGE = Duration.ofSeconds(3);

	private final JdbcTestDatabase database = database();

	private TcpProxy proxy;

	private HikariDataSource pool;

	private JdbcTestNode node;

	private JdbcTestClient holder;

	/**
	 * Return the database without the proxy.
	 */
	protected abstract JdbcTestDatabase database();

	/**
	 * Return the port of its server.
	 */
	protected abstract int port();

	/**
	 * Create a pool with the settings of an application.
	 * @param port the port to connect to
	 */
	protected abstract HikariDataSource pool(int port);

	/**
	 * Return the maximum number of packets in both directions while 1,000 waiters wait
	 * for 10 s.
	 */
	protected abstract long mostPackets();

	@BeforeEach
	void start() {
		JdbcLockSettings settings = this.database.settings(JdbcLockSettings.DEFAULT_TABLE, Duration.ofSeconds(2));
		this.database.createTables(settings);
		this.database.clear();
		this.proxy = TcpProxy.to(port());
		this.pool = pool(this.proxy.port());
		this.node = new JdbcTestNode(this.pool, settings, Duration.ofMinutes(5), HandOverSettings.DEFAULTS);
		this.holder = new JdbcTestClient(this.database.dataSource(), this.database.settings());
	}

	@AfterEach
	void stop() {
		this.proxy.restore();
		this.node.close();
		this.holder.close();
		this.pool.close();
		this.proxy.close();
	}

	@RepeatedTest(3)
	void everyWaiterIsServedAfterAnOutage() {
		List<LeaseGrant> grants = hold(200);
		List<CompletionStage<Lease>> waiters = await(200);
		long pending = IntStream.range(0, 200).filter((i) -> this.database.isMarked("row:" + i)).count();
		assertThat(pending).isPositive();

		this.proxy.cut();
		grants.forEach(this.holder::release);
		Awaitility.await().pollDelay(OUTAGE).until(() -> true);
		this.proxy.restore();

		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(IntStream.range(0, 200)
				.filter((i) -> !waiters.get(i).toCompletableFuture().isDone())
				.mapToObj((i) -> i + (this.database.hasRow("row:" + i, "owner IS NULL") ? " free" : " held")))
				.isEmpty());
		assertThat(waiters).allSatisfy((waiter) -> assertThat(waiter.toCompletableFuture().join().isHeld()).isTrue());
	}

	@Test
	void thousandIdleWaitersCostFewPackets() {
		hold(1000);
		List<CompletionStage<Lease>> waiters = await(1000);
		// By then the waiters have fallen into step, or receive notifications.
		Awaitility.await().pollDelay(Duration.ofSeconds(10)).until(() -> true);
		long before = packets();

		Awaitility.await().pollDelay(Duration.ofSeconds(10)).until(() -> true);

		long packets = packets() - before;
		System.out.printf("1,000 waiters for 1,000 keys: %d packets in 10 s%n", packets);
		assertThat(packets).isLessThan(mostPackets());
		assertThat(waiters).noneMatch((waiter) -> waiter.toCompletableFuture().isDone());
	}

	private long packets() {
		return this.proxy.requests().packets() + this.proxy.answers().packets();
	}

	private List<LeaseGrant> hold(int keys) {
		return IntStream.range(0, keys).mapToObj((i) -> this.holder.acquire("row:" + i)).toList();
	}

	private List<CompletionStage<Lease>> await(int keys) {
		List<CompletionStage<Lease>> waiters = IntStream.range(0, keys)
			.mapToObj((i) -> this.node.template()
				.acquireAsync(LockRequest.of("row:" + i).waitTime(Duration.ofMinutes(2))))
			.toList();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> IntStream.range(0, keys).allMatch((i) -> this.database.isMarked("row:" + i)));
		return waiters;
	}

}
