package io.distributedlock.recipes;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.OnLost;
import io.distributedlock.StaleTokenException;
import io.distributedlock.documentation.ShownProperties;
import io.distributedlock.fencing.FencingGuard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The recipe for a long batch whose lock ends with it at the latest.
 */
class LongBatchRecipeTests {

	private final Obstacle obstacle = new Obstacle();

	private final RecipeInstances instances = new RecipeInstances(this.obstacle);

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void batchRunsToItsEndUnderTheShownMaximum() throws Exception {
		ConfigurableApplicationContext instance = this.instances.start(Application.class,
				ShownProperties.of("recipe-long-batch"));

		instance.getBean(Reindexing.class).reindex();

		assertThat(instance.getBean(Index.class).position()).isEqualTo(Index.END);
	}

	@Test
	void batchThatHangsIsInterruptedAndAnotherInstanceGoesOn() throws Exception {
		ConfigurableApplicationContext first = this.instances.start(Application.class, "reindex.max-hold=300ms");
		ConfigurableApplicationContext other = this.instances.start(Application.class, "reindex.max-hold=1h");
		this.obstacle.at = 2;

		Throwable thrown = catchThrowable(() -> first.getBean(Reindexing.class).reindex());

		assertThat(thrown).isInstanceOf(InterruptedException.class);
		assertThat(thrown.getSuppressed()).hasAtLeastOneElementOfType(LeaseLostException.class);
		assertThat(first.getBean(Index.class).position()).isEqualTo(2);
		this.obstacle.at = -1;
		other.getBean(Reindexing.class).reindex();
		assertThat(first.getBean(Index.class).position()).isEqualTo(Index.END);
	}

	@Test
	void lateWriteOfABatchThatLostItsLockIsRefused() throws Exception {
		ConfigurableApplicationContext instance = this.instances.start(Application.class, "reindex.max-hold=1h");
		Index index = instance.getBean(Index.class);
		index.writeNext(1);

		instance.getBean(Reindexing.class).reindex();

		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> index.writeNext(1));
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Reindexing.class, Index.class })
	static class Application {

	}

	public static class Reindexing {

		private final Index index;

		Reindexing(Index index) {
			this.index = index;
		}

		// tag::long-batch[]
		@DistributedLock(name = "reindex", maxHold = "${reindex.max-hold}", onLost = OnLost.INTERRUPT)
		public void reindex() throws InterruptedException {
			Lease lease = LockContext.current();
			while (lease.isHeld() && this.index.hasNext()) {
				this.index.writeNext(lease.fencingToken());
			}
		}
		// end::long-batch[]

	}

	/**
	 * A place at which the batch hangs.
	 */
	static class Obstacle {

		private volatile int at = -1;

		void meet(int position) throws InterruptedException {
			if (position == this.at) {
				assertThat(new CountDownLatch(1).await(1, TimeUnit.MINUTES)).as("interrupted").isTrue();
			}
		}

	}

	/**
	 * An index that is written piece by piece and refuses stale tokens.
	 */
	static class Index {

		static final int END = 5;

		private final JdbcTemplate jdbc;

		private final Obstacle obstacle;

		Index(JdbcTemplate jdbc, Obstacle obstacle) {
			this.jdbc = jdbc;
			this.obstacle = obstacle;
			jdbc.execute("create table if not exists progress"
					+ " (id int primary key, piece int not null, token bigint not null)");
			jdbc.update("merge into progress p using (values (1)) v (id) on p.id = v.id"
					+ " when not matched then insert values (1, 0, 0)");
		}

		int position() {
			return this.jdbc.queryForObject("select piece from progress where id = 1", Integer.class);
		}

		boolean hasNext() {
			return position() < END;
		}

		void writeNext(long token) throws InterruptedException {
			this.obstacle.meet(position());
			int rows = this.jdbc.update("update progress set piece = piece + 1, token = ? where id = 1 and token <= ?",
					token, token);
			FencingGuard.requireUpdated(rows, "reindex", token);
		}

	}

}
