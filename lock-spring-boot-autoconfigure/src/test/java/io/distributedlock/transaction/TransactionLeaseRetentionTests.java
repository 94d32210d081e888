package io.distributedlock.transaction;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.LeaseLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.aop.RecordedLease;
import io.distributedlock.transaction.TransactionLeaseRetention.WhenActive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TransactionLeaseRetention}.
 */
class TransactionLeaseRetentionTests {

	private final TransactionLeaseRetention retention = new TransactionLeaseRetention(WhenActive.HOLD);

	private final RecordedLease lease = new RecordedLease(LockRequest.of("order:1"));

	private final List<String> log = new ArrayList<>();

	private EmbeddedDatabase database;

	private JdbcTransactionManager transactions;

	private JdbcTemplate jdbc;

	@BeforeEach
	void start() {
		this.database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		this.transactions = new JdbcTransactionManager(this.database);
		this.jdbc = new JdbcTemplate(this.database);
		this.jdbc.execute("create table note (text varchar(20))");
	}

	@AfterEach
	void stop() {
		this.database.shutdown();
	}

	@Test
	void lockInsideATransactionIsRefusedWhereThatIsAskedFor() {
		TransactionLeaseRetention strict = new TransactionLeaseRetention(WhenActive.REFUSE);
		LockRequest request = LockRequest.of("order:1");

		strict.opening(request);
		new TransactionTemplate(this.transactions).executeWithoutResult((status) -> {
			assertThatExceptionOfType(IllegalTransactionStateException.class).isThrownBy(() -> strict.opening(request))
				.withMessageContaining("order:1")
				.withMessageContaining("lock.transactions.when-active");
			this.retention.opening(request);
		});
	}

	private TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.transactions);
		template.setPropagationBehavior(propagation);
		return template;
	}

	private TransactionTemplate transaction() {
		return transaction(TransactionDefinition.PROPAGATION_REQUIRED);
	}

	private void keep(String name) {
		assertThat(this.retention.keep(this.lease, () -> this.log.add("release " + name))).isTrue();
	}

	private void write(String text) {
		this.jdbc.update("insert into note values (?)", text);
	}

	private List<String> notes() {
		return this.jdbc.queryForList("select text from note", String.class);
	}

	private void register(String name, int order) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public int getOrder() {
				return order;
			}

			@Override
			public void afterCommit() {
				TransactionLeaseRetentionTests.this.log.add("committed " + name);
			}

			@Override
			public void afterCompletion(int status) {
				TransactionLeaseRetentionTests.this.log.add("completed " + name);
			}

		});
	}

	@Test
	void keepsNothingWithoutATransaction() {
		assertThat(this.retention.keep(this.lease, () -> this.log.add("release"))).isFalse();
		assertThat(this.retention.keepIgnoringLoss(this.lease, () -> this.log.add("release"))).isFalse();
		assertThat(this.log).isEmpty();
	}

	@Test
	void keepsNothingForAScopeWithoutAnActualTransaction() {
		transaction(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult((status) -> {
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isTrue();
			assertThat(this.retention.keep(this.lease, () -> this.log.add("release"))).isFalse();
		});

		assertThat(this.log).isEmpty();
	}

	@Test
	void releasesAfterTheCommit() {
		transaction().executeWithoutResult((status) -> {
			write("a");
			keep("a");
			assertThat(this.log).isEmpty();
		});

		assertThat(this.log).containsExactly("release a");
		assertThat(notes()).containsExactly("a");
	}

	@Test
	void whatWasWrittenCanBeSeenWhenTheLeaseIsReleased() {
		List<List<String>> seen = new ArrayList<>();
		JdbcTemplate other = new JdbcTemplate(this.database);

		transaction().executeWithoutResult((status) -> {
			write("a");
			this.retention.keep(this.lease,
					() -> onAnotherThread(() -> seen.add(other.queryForList("select text from note", String.class))));
		});

		assertThat(seen).containsExactly(List.of("a"));
	}

	private static void onAnotherThread(Runnable task) {
		Thread thread = new Thread(task);
		thread.start();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void releasesAfterARollback() {
		assertThatIllegalStateException().isThrownBy(() -> transaction().executeWithoutResult((status) -> {
			write("a");
			keep("a");
			throw new IllegalStateException("roll back");
		}));

		assertThat(this.log).containsExactly("release a");
		assertThat(notes()).isEmpty();
	}

	@Test
	void releasesAfterARollbackOnDemand() {
		transaction().executeWithoutResult((status) -> {
			keep("a");
			status.setRollbackOnly();
		});

		assertThat(this.log).containsExactly("release a");
	}

	@Test
	void releasesAfterAFailingCommit() {
		assertThatIllegalStateException().isThrownBy(() -> transaction().executeWithoutResult((status) -> {
			keep("a");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw new IllegalStateException("no commit");
				}

			});
		}));

		assertThat(this.log).containsExactly("release a");
	}

	@Test
	void aLostLeaseRollsBackAndIsStillReleased() {
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> transaction().executeWithoutResult((status) -> {
				write("a");
				keep("a");
				this.lease.lose();
			}))
			.withMessageContaining("The lease on 'order:1' was lost before the transaction that it was kept for");

		assertThat(notes()).isEmpty();
		assertThat(this.log).containsExactly("release a");
	}

	@Test
	void anIgnoredLossCommits() {
		transaction().executeWithoutResult((status) -> {
			write("a");
			this.retention.keepIgnoringLoss(this.lease, () -> this.log.add("release"));
			this.lease.lose();
		});

		assertThat(notes()).containsExactly("a");
		assertThat(this.log).containsExactly("release");
	}

	@Test
	void releasesAfterEverythingElse() {
		transaction().executeWithoutResult((status) -> {
			register("early", Ordered.HIGHEST_PRECEDENCE);
			keep("a");
			register("late", Ordered.LOWEST_PRECEDENCE);
		});

		assertThat(this.log).containsExactly("committed early", "committed late", "completed early", "completed late",
				"release a");
	}

	@Test
	void releasesAfterEverythingElseOfARollback() {
		transaction().executeWithoutResult((status) -> {
			keep("a");
			register("late", Ordered.LOWEST_PRECEDENCE);
			status.setRollbackOnly();
		});

		assertThat(this.log).containsExactly("completed late", "release a");
	}

	@Test
	void aSuspendedTransactionKeepsItsOwnLease() {
		transaction().executeWithoutResult((outer) -> {
			keep("outer");
			transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
				keep("inner");
				this.log.add("inner body");
			});
			this.log.add("outer body");
		});

		assertThat(this.log).containsExactly("inner body", "release inner", "outer body", "release outer");
	}

	@Test
	void theRollbackOfAnInnerTransactionReleasesItsOwnLeaseOnly() {
		transaction().executeWithoutResult((outer) -> {
			keep("outer");
			transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult((inner) -> {
				keep("inner");
				inner.setRollbackOnly();
			});
			assertThat(this.log).containsExactly("release inner");
		});

		assertThat(this.log).containsExactly("release inner", "release outer");
	}

	@Test
	void whileATransactionIsSuspendedNothingIsKeptForIt() {
		transaction().executeWithoutResult((outer) -> transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
			.executeWithoutResult(
					(none) -> assertThat(this.retention.keep(this.lease, () -> this.log.add("release"))).isFalse()));

		assertThat(this.log).isEmpty();
	}

	@Test
	void aSavepointBelongsToTheTransactionAroundIt() {
		transaction().executeWithoutResult((outer) -> {
			transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((nested) -> {
				keep("nested");
				nested.setRollbackOnly();
			});
			assertThat(this.log).isEmpty();
		});

		assertThat(this.log).containsExactly("release nested");
	}

	@Test
	void aJoinedTransactionEndsWithTheOneThatWasBegun() {
		transaction().executeWithoutResult((outer) -> {
			transaction().executeWithoutResult((joined) -> keep("joined"));
			assertThat(this.log).isEmpty();
		});

		assertThat(this.log).containsExactly("release joined");
	}

	@Test
	void keepsNothingThatEndsAfterTheTransaction() {
		transaction().executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int completion) {
						TransactionLeaseRetentionTests.this.log
							.add("kept " + TransactionLeaseRetentionTests.this.retention.keep(
									TransactionLeaseRetentionTests.this.lease,
									() -> TransactionLeaseRetentionTests.this.log.add("release")));
					}

				}));

		assertThat(this.log).containsExactly("kept false");
	}

	@Test
	void releasesWhatIsKeptAfterTheCommit() {
		transaction().executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						keep("late");
					}

				}));

		assertThat(this.log).containsExactly("release late");
	}

}
