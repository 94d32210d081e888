package io.distributedlock.it.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcTestNode;
import io.distributedlock.backend.jdbc.ObservedDataSource;
import io.distributedlock.engine.HandOverSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which threads execute the statements of callers, and how many there are.
 */
public abstract class CallersThreadsContract {

	/**
	 * The smallest pool of which a connection is kept for callers.
	 */
	private static final int POOL = 6;

	/**
	 * The connections for releases and renewals, which the store borrows once.
	 */
	private static final int DEDICATED = 2;

	/**
	 * The number of threads of the store that wait for the pool.
	 */
	private static final int WORKERS = 8;

	private final JdbcTestDatabase database = database();

	private HikariDataSource pool;

	private ObservedDataSource observed;

	private JdbcTestNode node;

	/**
	 * Return the database.
	 */
	protected abstract JdbcTestDatabase database();

	/**
	 * Create a pool.
	 * @param size its size
	 */
	protected abstract HikariDataSource pool(int size);

	@BeforeEach
	void start() {
		JdbcLockSettings settings = this.database.settings();
		this.database.createTables(settings);
		this.database.clear();
		this.pool = pool(POOL);
		this.observed = new ObservedDataSource(this.pool);
		this.node = new JdbcTestNode(this.observed, settings, Duration.ofSeconds(60), HandOverSettings.DEFAULTS);
		this.node.template().acquire("warm-up").close();
	}

	@AfterEach
	void stop() {
		this.node.close();
		this.pool.close();
	}

	@Test
	void blockingCallerTakesAndReleasesByOneStatementEachOnItsThread() {
		// Repeated, because a pause of the machine can end the time for which a
		// connection is kept.
		Awaitility.await().pollInSameThread().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			this.node.template().acquire("kept").close();
			this.observed.forget();

			this.node.template().acquire("order:42").close();

			assertThat(this.observed.statements()).hasSize(2);
			assertThat(this.observed.threads()).containsOnly(Thread.currentThread());
		});
	}

	@Test
	void tryWithoutWaitRunsOnItsCallersThreadToo() {
		Awaitility.await().pollInSameThread().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			this.node.template().acquire("kept").close();
			this.observed.forget();

			this.node.template().tryAcquire(LockRequest.of("order:42").waitTime(Duration.ZERO)).orElseThrow().close();

			assertThat(this.observed.threads()).hasSize(2).containsOnly(Thread.currentThread());
		});
	}

	@Test
	void asynchronousCallerNeverExecutesAStatement() {
		for (int i = 0; i < 20; i++) {
			this.node.template().acquire("kept").close();
			this.observed.forget();

			Lease lease = JdbcTestClient.await(this.node.template().acquireAsync(LockRequest.of("order:42")));
			JdbcTestClient.await(lease.releaseAsync());

			assertThat(this.observed.threads()).isNotEmpty().doesNotContain(Thread.currentThread());
		}
	}

	@Test
	void interruptedThreadNeverExecutesAStatement() {
		for (int i = 0; i < 20; i++) {
			Lease lease = this.node.template().acquire("order:42");
			this.observed.forget();
			Thread.currentThread().interrupt();

			boolean stood = lease.release();

			assertThat(Thread.interrupted()).isTrue();
			assertThat(stood).isTrue();
			assertThat(this.observed.threads()).isNotEmpty().doesNotContain(Thread.currentThread());
		}
	}

	@Test
	void applicationThatWaitsForThePoolGetsWhatCallersUseAllTheTime() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture<Void> caller = CompletableFuture.runAsync(() -> {
			while (!over.get()) {
				this.node.template().acquire("order:42").close();
			}
		});
		try (Connection first = this.pool.getConnection();
				Connection second = this.pool.getConnection();
				Connection third = this.pool.getConnection()) {

			CompletableFuture<Connection> last = CompletableFuture.supplyAsync(this::borrow);

			last.get(1, TimeUnit.MINUTES).close();
		}
		finally {
			over.set(true);
			caller.get(1, TimeUnit.MINUTES);
		}
	}

	@Test
	void keptConnectionGoesBackThoughAllWorkersWaitForThePool() throws Exception {
		JdbcTestClient.await(JdbcTestClient.await(this.node.template().acquireAsync("warm-up")).releaseAsync());
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == DEDICATED);
		List<Connection> others = new ArrayList<>();
		try {
			for (int i = 0; i < POOL - DEDICATED - 1; i++) {
				others.add(borrow());
			}
			this.node.template().acquire("kept").close();

			List<CompletionStage<Lease>> attempts = IntStream.range(0, WORKERS)
				.<CompletionStage<Lease>>mapToObj((i) -> this.node.template().acquireAsync("order:" + i))
				.toList();

			assertThat(attempts).allSatisfy((attempt) -> JdbcTestClient.await(attempt).release());
		}
		finally {
			for (Connection other : others) {
				other.close();
			}
		}
	}

	private Connection borrow() {
		try {
			return this.pool.getConnection();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
