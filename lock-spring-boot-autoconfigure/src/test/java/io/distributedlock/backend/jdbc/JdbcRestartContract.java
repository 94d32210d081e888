package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.HandOverSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A database that restarts while applications hold, wait for and release leases. The
 * applications continue without a restart.
 */
public abstract class JdbcRestartContract {

	/**
	 * Longer than the whole test takes on any machine.
	 */
	private static final Duration TTL = Duration.ofMinutes(10);

	/**
	 * Longer than a restart and everything else takes. Clearly less than the TTL, so that
	 * no test passes because a lease expires.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final LockRequest PATIENT = LockRequest.of("held").waitTime(TTL.dividedBy(2));

	// For the test's own statements, which wait for as long as a connection takes.
	private HikariDataSource looks;

	private HikariDataSource pool;

	private HikariDataSource otherPool;

	private JdbcTestDatabase database;

	private JdbcTestNode node;

	private JdbcTestNode other;

	protected enum Halt {

		STOP, KILL

	}

	protected abstract String platform();

	protected abstract HikariDataSource newPool() throws Exception;

	protected abstract void halt(Halt halt) throws Exception;

	protected abstract void startAgain() throws Exception;

	@BeforeEach
	void startNodes() throws Exception {
		this.pool = newPool();
		this.otherPool = newPool();
		this.looks = newPool();
		this.looks.setConnectionTimeout(PATIENCE.toMillis());
		this.database = new JdbcTestDatabase(platform(), this.looks);
		JdbcLockSettings settings = this.database.settings();
		this.database.createTables(settings);
		this.database.clear();
		this.node = new JdbcTestNode(this.pool, settings, TTL, HandOverSettings.DEFAULTS);
		this.other = new JdbcTestNode(this.otherPool, settings, TTL, HandOverSettings.DEFAULTS);
	}

	@AfterEach
	void stopNodes() {
		this.node.close();
		this.other.close();
		this.pool.close();
		this.otherPool.close();
		this.looks.close();
	}

	@ParameterizedTest
	@EnumSource
	void leasesOutliveARestartAndWaitersGoOn(Halt halt) throws Exception {
		Lease held = this.node.template().acquire("held");
		Lease letGo = this.node.template().acquire("letGo");
		CompletableFuture<Lease> waiting = this.other.template().acquireAsync(PATIENT).toCompletableFuture();
		await().atMost(PATIENCE).until(() -> this.database.isMarked("held"));

		halt(halt);
		letGo.release();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.other.template().tryAcquire("free"));
		startAgain();

		await().atMost(PATIENCE).ignoreExceptionsInstanceOf(LockUnavailableException.class).untilAsserted(held::verify);
		Lease again = this.other.template().acquire(LockRequest.of("letGo").waitTime(PATIENCE));
		assertThat(again.fencingToken()).isGreaterThan(letGo.fencingToken());
		assertThat(again.release()).isTrue();
		assertThat(waiting).isNotDone();
		assertThat(held.release()).isTrue();
		Lease next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		assertThat(next.release()).isTrue();
		await().atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.untilAsserted(() -> assertThat(this.other.locks().list()).isEmpty());
		assertThat(this.node.lost() + this.other.lost()).isZero();
		assertThat(this.node.busy() + this.other.busy()).isZero();
	}

}
