package io.distributedlock.it.jdbc;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcTestNode;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A pool whose connections fall silent, for example because a firewall drops them, or
 * answer late.
 */
@FurtherTopology
public abstract class SilencedConnectionsContract {

	/**
	 * The idle time after which the pool validates a connection before it lends it.
	 */
	private static final Duration ASKED_AFTER = Duration.ofMillis(600);

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * The time that a busy machine may add.
	 */
	private static final Duration SLACK = Duration.ofSeconds(1);

	private static final Duration SOON = CALL_TIMEOUT.multipliedBy(3).plusSeconds(1);

	private final JdbcTestDatabase database = database();

	private TcpProxy proxy;

	private HikariDataSource pool;

	private JdbcTestNode node;

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

	@BeforeEach
	void start() {
		JdbcLockSettings settings = this.database.settings(JdbcLockSettings.DEFAULT_TABLE, CALL_TIMEOUT);
		this.database.createTables(settings);
		this.database.clear();
		this.proxy = TcpProxy.to(port());
		this.pool = pool(this.proxy.port());
		this.pool.setMaximumPoolSize(6);
		this.pool.setMinimumIdle(6);
		this.node = new JdbcTestNode(this.pool, settings, Duration.ofSeconds(60), HandOverSettings.DEFAULTS);
		this.node.template().acquire("warm-up").close();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> this.pool.getHikariPoolMXBean().getTotalConnections() == 6);
	}

	@AfterEach
	void stop() {
		this.proxy.restore();
		this.node.close();
		this.pool.close();
		this.proxy.close();
	}

	@Test
	void locksAreGrantedAgainSoonThoughThePoolHasNotNoticed() {
		letThePoolAsk();
		this.proxy.silence();
		long begunAt = System.nanoTime();

		Lease lease = this.node.template().acquire(LockRequest.of("order:42").waitTime(Duration.ofSeconds(30)));

		assertThat(since(begunAt)).isLessThan(SOON.plus(SLACK));
		lease.close();
	}

	@Test
	void leaseIsReleasedSoonThoughItsConnectionIsSilent() {
		Lease lease = this.node.template().acquire("order:42");
		letThePoolAsk();
		this.proxy.silence();
		long begunAt = System.nanoTime();

		lease.close();

		this.node.template().acquire(LockRequest.of("order:42").waitTime(Duration.ofSeconds(30))).close();
		assertThat(since(begunAt)).isLessThan(SOON.plus(SLACK));
	}

	@Test
	void waiterIsServedSoonThoughItsConnectionsAreSilent() {
		try (JdbcTestNode other = new JdbcTestNode(this.database.dataSource(), this.database.settings(),
				Duration.ofSeconds(60), HandOverSettings.DEFAULTS)) {
			Lease held = other.template().acquire("order:42");
			CompletionStage<Lease> next = this.node.template()
				.acquireAsync(LockRequest.of("order:42").waitTime(Duration.ofSeconds(50)));
			Awaitility.await().until(() -> this.database.isMarked("order:42"));
			letThePoolAsk();
			this.proxy.silence();
			long begunAt = System.nanoTime();

			held.close();

			JdbcTestClient.await(next).close();
			assertThat(since(begunAt)).isLessThan(SOON.plus(SLACK));
		}
	}

	@Test
	void callerOfASingleAttemptIsNotHeldUpByConnectionsThatAreSilent() {
		shortenTheWaitForThePool();
		letThePoolAsk();
		this.proxy.requests().drop();
		long begunAt = System.nanoTime();

		assertThatThrownBy(() -> this.node.template().tryAcquire(LockRequest.of("order:42").waitTime(Duration.ZERO)))
			.isInstanceOf(LockUnavailableException.class);

		assertThat(since(begunAt)).isLessThan(CALL_TIMEOUT.plus(SLACK));
	}

	@Test
	void callerThatWaitsIsNotHeldUpByConnectionsThatAreSilent() {
		Duration waitTime = CALL_TIMEOUT.plusMillis(500);
		shortenTheWaitForThePool();
		letThePoolAsk();
		this.proxy.requests().drop();
		long begunAt = System.nanoTime();

		assertThatThrownBy(() -> this.node.template().tryAcquire(LockRequest.of("order:42").waitTime(waitTime)))
			.isInstanceOf(LockUnavailableException.class);

		assertThat(since(begunAt)).isLessThan(waitTime.plus(CALL_TIMEOUT).plus(SLACK));
	}

	@Test
	void callerIsNotHeldUpByAConnectionThatFellSilentJustAfterItsUse() {
		this.node.template().acquire("order:42").close();
		this.proxy.requests().drop();
		long begunAt = System.nanoTime();

		assertThatThrownBy(() -> this.node.template().tryAcquire(LockRequest.of("order:43").waitTime(Duration.ZERO)))
			.isInstanceOf(LockUnavailableException.class);

		assertThat(since(begunAt)).isLessThan(CALL_TIMEOUT.plus(SLACK));
	}

	@Test
	void grantThatComesAfterTheWaitIsGivenBack() throws Exception {
		letThePoolAsk();
		this.proxy.requests().hold();
		CompletableFuture<Optional<Lease>> late = CompletableFuture
			.supplyAsync(() -> this.node.template().tryAcquire(LockRequest.of("order:42").waitTime(Duration.ZERO)));
		assertThatThrownBy(() -> late.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(LockUnavailableException.class);

		this.proxy.restore();

		JdbcLockSettings settings = this.database.settings();
		try (JdbcTestNode other = new JdbcTestNode(this.database.dataSource(), settings, Duration.ofSeconds(60),
				HandOverSettings.DEFAULTS)) {
			Lease lease = other.template().acquire(LockRequest.of("order:42").waitTime(Duration.ofSeconds(20)));
			assertThat(lease.isHeld()).isTrue();
			lease.close();
		}
	}

	/**
	 * In an earlier version, attempts then ran on their callers' threads.
	 */
	private void shortenTheWaitForThePool() {
		this.pool.setConnectionTimeout(CALL_TIMEOUT.toMillis());
	}

	private static void letThePoolAsk() {
		Awaitility.await().pollDelay(ASKED_AFTER).until(() -> true);
	}

	private static Duration since(long begunAt) {
		return Duration.ofNanos(System.nanoTime() - begunAt);
	}

}
