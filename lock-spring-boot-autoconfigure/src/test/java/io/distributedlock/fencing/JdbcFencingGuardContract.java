package io.distributedlock.fencing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

import javax.sql.DataSource;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.StaleTokenException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Contract of a guard in any database. The protected table is called {@code guarded}.
 */
public abstract class JdbcFencingGuardContract {

	private static final long TOKEN = 1_780_000_000_000_000L;

	private final DataSource dataSource = dataSource();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final TransactionTemplate transaction = new TransactionTemplate(
			new JdbcTransactionManager(this.dataSource));

	private final FencingGuard guard = guard(this.dataSource);

	/**
	 * Return an empty database, or that of the previous tests.
	 */
	protected abstract DataSource dataSource();

	/**
	 * Return the guard.
	 */
	protected FencingGuard guard(DataSource dataSource) {
		return new JdbcFencingGuard(dataSource);
	}

	/**
	 * Return a guard that checks in steps, as on MySQL and others.
	 */
	protected static FencingGuard inSteps(DataSource dataSource) {
		return new JdbcFencingGuard(dataSource, new FenceTable(FenceTable.DEFAULT_NAME), FenceDialect.STANDARD);
	}

	/**
	 * Return the platform in the name of the script.
	 */
	protected abstract String platform();

	@BeforeEach
	void createTables() {
		this.jdbc.execute("DROP TABLE IF EXISTS " + FenceTable.DEFAULT_NAME);
		this.jdbc.execute("DROP TABLE IF EXISTS guarded");
		String script = new FenceTable(FenceTable.DEFAULT_NAME).schema(platform());
		// Run it twice, because the table exists for the second instance.
		for (int i = 0; i < 2; i++) {
			new ResourceDatabasePopulator(new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8)))
				.execute(this.dataSource);
		}
		this.jdbc.execute("CREATE TABLE guarded (place INT NOT NULL PRIMARY KEY, token BIGINT NOT NULL)");
	}

	@Test
	void firstTokenGreaterOnesAndTheSameOncePass() {
		write("account:1", TOKEN);
		write("account:1", TOKEN);
		write("account:1", TOKEN + 1);
		write("account:1", TOKEN + 1);

		assertThat(written()).containsExactly(TOKEN, TOKEN, TOKEN + 1, TOKEN + 1);
	}

	@Test
	void staleTokenIsRefusedAndRollsBackWhatWasWrittenBefore() {
		write("account:1", TOKEN + 1);

		assertThatThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
			insert(TOKEN);
			this.guard.check("account:1", TOKEN);
		})).isInstanceOfSatisfying(StaleTokenException.class, (ex) -> {
			assertThat(ex.resource()).isEqualTo("account:1");
			assertThat(ex.token()).isEqualTo(TOKEN);
		});

		assertThat(written()).containsExactly(TOKEN + 1);
		write("account:1", TOKEN + 1);
	}

	@Test
	void tokenOfATransactionThatWasRolledBackWasNotSeen() {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check("account:1", TOKEN + 1);
			status.setRollbackOnly();
		});

		write("account:1", TOKEN);

		assertThat(written()).containsExactly(TOKEN);
	}

	@Test
	void resourcesAreKeptApart() {
		for (String resource : List.of("a", "A", "ä", "a ä", "𝄞", "x".repeat(255))) {
			write(resource, TOKEN + 1);
		}

		write("b", TOKEN);

		assertThatThrownBy(() -> write("A", TOKEN)).isInstanceOf(StaleTokenException.class);
		assertThat(this.jdbc.queryForObject("SELECT COUNT(*) FROM " + FenceTable.DEFAULT_NAME, Integer.class))
			.isEqualTo(7);
	}

	@Test
	void tokensKeepAllTheirDigits() {
		write("account:1", Long.MAX_VALUE - 1);

		assertThatThrownBy(() -> write("account:1", Long.MAX_VALUE - 2)).isInstanceOf(StaleTokenException.class);
		write("account:1", Long.MAX_VALUE);
	}

	@Test
	void writesOfSeveralHoldersNeverCommitOutOfTheirOrder() throws Exception {
		int threads = 8;
		long seed = ThreadLocalRandom.current().nextLong();
		ExecutorService workers = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<Integer>> writers = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				Random random = new Random(seed + i);
				writers.add(() -> {
					int stale = 0;
					for (int round = 0; round < 40; round++) {
						stale += writeInPlace(TOKEN + round * 10L + random.nextInt(30)) ? 0 : 1;
					}
					return stale;
				});
			}
			int stale = 0;
			for (Future<Integer> future : workers.invokeAll(writers)) {
				stale += future.get();
			}
			assertThat(stale).as("stale writes, seed %d", seed).isPositive();
			assertThat(written()).as("tokens in the order of their writes, seed %d", seed)
				.hasSize(threads * 40 - stale)
				.isSorted();
		}
		finally {
			workers.shutdownNow();
		}
	}

	/**
	 * Take the next place, which only the holder of the row of the resource can do.
	 */
	private boolean writeInPlace(long token) {
		while (true) {
			try {
				write("race", token);
				return true;
			}
			catch (StaleTokenException ex) {
				return false;
			}
			catch (ConcurrencyFailureException ex) {
				// A deadlock of the first inserts. Try again, as applications do.
				Thread.yield();
			}
		}
	}

	@Test
	void checkOutsideOfATransactionIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.guard.check("account:1", TOKEN))
			.withMessageContaining("account:1")
			.withMessageContaining("in a transaction");
	}

	@Test
	void checkInTheTransactionOfAnotherDatabaseIsRefused() {
		TransactionTemplate other = new TransactionTemplate(new DataSourceTransactionManager(Databases.h2()));

		other.executeWithoutResult(
				(status) -> assertThatIllegalStateException().isThrownBy(() -> this.guard.check("account:1", TOKEN))
					.withMessageContaining("not one of the guard's DataSource"));
	}

	@Test
	void tableThatIsMissingIsNamedWithTheScriptThatCreatesIt() {
		FencingGuard lost = new JdbcFencingGuard(this.dataSource, new FenceTable("nowhere"));

		assertThatIllegalStateException()
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> lost.check("account:1", TOKEN)))
			.withMessageContaining("'nowhere'")
			.withMessageContaining(FenceTable.SCHEMA_LOCATION);
	}

	@Test
	void namesThatDatabasesCompareInDifferentWaysAreRefused() {
		for (String resource : List.of("", " a", "a ", "x".repeat(256))) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.guard.check(resource, TOKEN))
				.withMessageContaining("fenced resource");
		}
	}

	@Test
	void updateOfTheOwnTableThatFoundNoRowIsStale() {
		write("account:1", TOKEN + 1);

		int updated = this.jdbc.update("UPDATE guarded SET token = ? WHERE place = 0 AND token <= ?", TOKEN, TOKEN);

		assertThatThrownBy(() -> FencingGuard.requireUpdated(updated, "account:1", TOKEN))
			.isInstanceOf(StaleTokenException.class);
		FencingGuard.requireUpdated(
				this.jdbc.update("UPDATE guarded SET token = ? WHERE place = 0 AND token <= ?", TOKEN + 2, TOKEN + 2),
				"account:1", TOKEN + 2);
	}

	private void write(String resource, long token) {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check(resource, token);
			insert(token);
		});
	}

	private void insert(long token) {
		Integer place = this.jdbc.queryForObject("SELECT COUNT(*) FROM guarded", Integer.class);
		this.jdbc.update("INSERT INTO guarded (place, token) VALUES (?, ?)", place, token);
	}

	private List<Long> written() {
		return this.jdbc.queryForList("SELECT token FROM guarded ORDER BY place", Long.class);
	}

}
