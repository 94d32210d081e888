package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the polling of many waiters together.
 */
@Tag("topology")
class CrowdPollingTests {

	private static final int KEYS = 300;

	private final JdbcTestDatabase database = H2Database.create();

	private final ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());

	private JdbcTestClient holder;

	private JdbcTestNode node;

	private List<LeaseGrant> grants;

	private List<CompletionStage<Lease>> waiters;

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.holder = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		this.node = new JdbcTestNode(this.observed, this.database.settings(), Duration.ofMinutes(1),
				HandOverSettings.DEFAULTS);
		this.grants = IntStream.range(0, KEYS).mapToObj((i) -> this.holder.acquire("row:" + i)).toList();
		// By now each waiter would poll at its longest delay.
		this.database.update("UPDATE @@table@@ SET acquired_at = @@after(-10000)@@", Map.of());
		this.waiters = IntStream.range(0, KEYS)
			.mapToObj((i) -> this.node.template()
				.acquireAsync(LockRequest.of("row:" + i).waitTime(Duration.ofMinutes(2))))
			.toList();
	}

	@AfterEach
	void stop() {
		this.node.close();
		this.holder.close();
	}

	@Test
	void manyKeysAreLookedAtByFewStatements() {
		untilTheyAreWatched();
		this.observed.forget();

		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> looks() >= 10);

		// One statement looks at up to 200 keys, and one leaves the marks for each of the
		// two lengths of delays. By themselves the waiters would need 600 for each look.
		assertThat(this.observed.statements()).hasSizeLessThanOrEqualTo((int) looks() * 4);
		assertThat(this.waiters).noneMatch((waiter) -> waiter.toCompletableFuture().isDone());
	}

	@Test
	void locksThatAreReleasedOrRunOutGoToTheirWaiters() {
		untilTheyAreWatched();

		this.holder.release(this.grants.get(0));
		this.database.expire("row:1");
		this.database.delete("row:2");

		for (int i = 0; i < 3; i++) {
			JdbcTestClient.await(this.waiters.get(i));
		}
		assertThat(this.waiters.subList(3, KEYS)).noneMatch((waiter) -> waiter.toCompletableFuture().isDone());
	}

	@Test
	void waitersAreServedAfterAFaultOfTheDatabase() {
		untilTheyAreWatched();
		this.observed.setCutOff(true);
		Awaitility.await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
		this.grants.forEach((grant) -> this.holder.release(grant));

		this.observed.setCutOff(false);

		this.waiters.forEach((waiter) -> JdbcTestClient.await(waiter));
	}

	@Test
	void waitersAreMarkedForOtherHolders() {
		untilTheyAreWatched();
		this.database.update("UPDATE @@table@@ SET waiting_until = NULL", Map.of());

		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> IntStream.range(0, KEYS).allMatch((i) -> this.database.isMarked("row:" + i)));
	}

	@Test
	void nothingIsLookedAtWithoutWaiters() {
		untilTheyAreWatched();
		this.waiters.forEach((waiter) -> waiter.toCompletableFuture().cancel(false));
		this.grants.forEach((grant) -> this.holder.release(grant));
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			this.observed.forget();
			Awaitility.await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
			return looks() == 0;
		});
	}

	private void untilTheyAreWatched() {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
			this.observed.forget();
			Awaitility.await().pollDelay(Duration.ofMillis(1500)).until(() -> true);
			return looks() > 0 && this.observed.statements().size() < KEYS / 2;
		});
	}

	private long looks() {
		return this.observed.statements()
			.stream()
			.filter((sql) -> sql.contains(" IN (") && sql.startsWith("SELECT"))
			.count();
	}

}
