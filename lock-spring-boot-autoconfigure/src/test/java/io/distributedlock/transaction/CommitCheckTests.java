package io.distributedlock.transaction;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossReason;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Scopes.Scope;
import io.distributedlock.transaction.TransactionLeaseRetention.WhenActive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CommitCheck}, with transactions that begin inside a lock.
 */
class CommitCheckTests {

	private static final Duration TTL = EngineSettings.DEFAULTS.ttl();

	private static final Duration MARGIN = Duration.ofSeconds(2);

	private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
		.generateUniqueName(true)
		.build();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.database);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final CutOffBackend backend = new CutOffBackend(new LocalLockBackend(this.store, "one", this.clock));

	private final LockEngine engine = new LockEngine(this.backend, EngineSettings.DEFAULTS, this.clock, List.of(),
			List.of());

	private final DefaultScopes scopes = new DefaultScopes(this.engine, new TransactionLeaseRetention(WhenActive.HOLD));

	private final TransactionTemplate transaction = new TransactionTemplate(manager());

	private JdbcTransactionManager manager() {
		this.jdbc.execute("create table note (text varchar(20))");
		JdbcTransactionManager manager = new JdbcTransactionManager(this.database);
		manager.addListener(new CommitCheck(() -> this.scopes, MARGIN));
		return manager;
	}

	@AfterEach
	void stop() {
		this.engine.stop();
		this.database.shutdown();
	}

	@Test
	void transactionInsideALockWhoseLeaseIsHeldCommits() {
		locked(LockRequest.of("order:1"), () -> write("a", () -> {
		}));

		assertThat(written()).containsExactly("a");
	}

	@Test
	void transactionIsRolledBackWhereTheLeaseAroundItWasLost() {
		locked(LockRequest.of("order:1"),
				() -> assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> write("a", this::lose))
					.withMessageContaining("order:1")
					.withMessageContaining("rolled back"));

		assertThat(written()).isEmpty();
	}

	@Test
	void eachOfSeveralLocksAroundItCounts() {
		locked(LockRequest.of("order:1"), () -> locked(LockRequest.of("order:2"), () -> {
			assertThatExceptionOfType(LeaseLostException.class)
				.isThrownBy(() -> write("a", () -> forceRelease("order:1")));
			assertThat(LockContext.current("order:2").isHeld()).isTrue();
		}));

		assertThat(written()).isEmpty();
	}

	@Test
	void transactionThatIsIndependentOfAnOuterOneIsChecked() {
		TransactionTemplate independent = new TransactionTemplate(this.transaction.getTransactionManager());
		independent.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((outer) -> locked(LockRequest.of("order:1"), () -> {
			independent.executeWithoutResult((inner) -> insert("first"));
			assertThatExceptionOfType(LeaseLostException.class)
				.isThrownBy(() -> independent.executeWithoutResult((inner) -> {
					insert("second");
					lose();
				}));
			outer.setRollbackOnly();
		}));

		assertThat(written()).containsExactly("first");
	}

	@Test
	void leaseWithLittleLeftIsExtendedBeforeTheCommit() {
		LockRequest request = LockRequest.of("order:1").withoutRenewal();
		locked(request, () -> write("a", () -> {
			this.clock.advance(TTL.minusSeconds(1));
			assertThat(LockContext.current().remaining()).isLessThan(MARGIN);
		}));

		assertThat(written()).containsExactly("a");
	}

	@Test
	void leaseWithEnoughLeftCostsTheCommitNoRoundTrip() {
		locked(LockRequest.of("order:1"), () -> {
			this.backend.setCutOff(true);
			write("a", () -> {
			});
			this.backend.setCutOff(false);
		});

		assertThat(written()).containsExactly("a");
	}

	@Test
	void storeThatCantBeAskedForMoreRollsBack() {
		locked(LockRequest.of("order:1").withoutRenewal(),
				() -> assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> write("a", () -> {
					this.clock.advance(TTL.minusSeconds(1));
					this.backend.setCutOff(true);
				})));

		assertThat(written()).isEmpty();
	}

	@Test
	void maximumHoldThatIsTooNearRollsBack() {
		LockRequest request = LockRequest.of("order:1").maxHold(Duration.ofSeconds(40));
		locked(request,
				() -> assertThatExceptionOfType(LeaseLostException.class)
					.isThrownBy(() -> write("a", () -> this.clock.advance(Duration.ofSeconds(39))))
					.withMessageContaining("maximum hold")
					.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(LossReason.MAX_HOLD)));

		assertThat(written()).isEmpty();
	}

	@Test
	void lossThatDoesNotMatterCommits() {
		Scope scope = this.scopes.open(LockRequest.of("order:1"));
		scope.ignoreLoss();
		write("a", this::lose);
		scope.close();

		assertThat(written()).containsExactly("a");
	}

	@Test
	void lossThatMattersToTheBodyAroundRollsBack() {
		Scope outer = this.scopes.open(LockRequest.of("order:1"));
		Scope inner = this.scopes.open(LockRequest.of("order:1"));
		inner.ignoreLoss();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> write("a", this::lose));
		inner.close();
		outer.close();

		assertThat(written()).isEmpty();
	}

	@Test
	void readOnlyTransactionHasNothingToLose() {
		TransactionTemplate reading = new TransactionTemplate(this.transaction.getTransactionManager());
		reading.setReadOnly(true);
		locked(LockRequest.of("order:1"), () -> assertThat(reading.<Integer>execute((status) -> {
			lose();
			return this.jdbc.queryForObject("select count(*) from note", Integer.class);
		})).isZero());
	}

	@Test
	void transactionOutsideOfLocksCommits() {
		locked(LockRequest.of("order:1"), this::lose);

		write("a", () -> {
		});

		assertThat(written()).containsExactly("a");
	}

	private void locked(LockRequest request, Runnable body) {
		Scope scope = this.scopes.open(request);
		try {
			body.run();
		}
		finally {
			scope.close();
		}
	}

	private void write(String text, Runnable andThen) {
		this.transaction.executeWithoutResult((status) -> {
			insert(text);
			andThen.run();
		});
	}

	private void insert(String text) {
		this.jdbc.update("insert into note values (?)", text);
	}

	private void lose() {
		forceRelease("order:1");
	}

	/**
	 * Take the lock away, and let the next renewal notice it.
	 */
	private void forceRelease(String key) {
		BackendConnection operator = new LocalLockBackend(this.store, "operator", this.clock).connect((ownerId) -> {
		});
		assertThat(operator.forceRelease(key, Duration.ZERO).toCompletableFuture().join()).isTrue();
		this.clock.advance(TTL.dividedBy(2));
		assertThat(LockContext.current(key).isHeld()).isFalse();
	}

	private List<String> written() {
		return this.jdbc.queryForList("select text from note", String.class);
	}

}
