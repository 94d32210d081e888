package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs that share a key for which threads of both contend all the time, on any
 * database.
 */
public abstract class JdbcSharingContract {

	private static final int THREADS = 3;

	private static final LockRequest HOT = LockRequest.of("hot").waitTime(Duration.ofSeconds(60));

	private final JdbcTestDatabase database = database();

	private final List<JdbcTestNode> nodes = new ArrayList<>();

	// The number of grants of each node until the other one began.
	private final AtomicReference<List<Integer>> alone = new AtomicReference<>();

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void createTables() {
		this.database.createTables(this.database.settings());
		this.database.clear();
	}

	@AfterEach
	void stop() {
		this.nodes.forEach(JdbcTestNode::close);
	}

	@Test
	void eachOfTwoJvmsGetsAHotKeyFromTheDatabaseAQuarterOfTheTimesAtLeast() throws Exception {
		HandOverSettings brief = new HandOverSettings(1023, Duration.ofMillis(20));

		assertShares(brief, 80, Duration.ZERO);
	}

	@Test
	void bodiesThatOutlastTheBoundOfTheHandOverAreShared() throws Exception {
		HandOverSettings brief = new HandOverSettings(1023, Duration.ofMillis(10));

		assertShares(brief, 40, Duration.ofMillis(20));
	}

	private void assertShares(HandOverSettings handOver, int tenures, Duration body) throws Exception {
		for (int i = 0; i < 2; i++) {
			this.nodes.add(new JdbcTestNode(this.database.dataSource(), this.database.settings(),
					EngineSettings.DEFAULTS.ttl(), handOver));
		}
		List<Thread> threads = new ArrayList<>();
		for (JdbcTestNode node : this.nodes) {
			for (int i = 0; i < THREADS; i++) {
				threads.add(new Thread(() -> lock(node, tenures, body)));
			}
		}
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}

		assertThat(IntStream.range(0, 2).map(this::shared).boxed())
			.allSatisfy((granted) -> assertThat(granted).isGreaterThanOrEqualTo(tenures / 4));
	}

	private void lock(JdbcTestNode node, int tenures, Duration body) {
		for (int turn = 0; isGoingOn(tenures); turn++) {
			if (turn % 3 == 2) {
				node.template().tryAcquire(HOT.waitTime(Duration.ZERO)).ifPresent((lease) -> hold(lease, body));
			}
			else {
				hold(node.template().acquire(HOT), body);
			}
		}
	}

	/**
	 * Return whether more tenures are needed. Those of a node that was alone do not
	 * count, because on a busy machine the threads of the other node begin later.
	 */
	private boolean isGoingOn(int tenures) {
		if (this.alone.get() == null) {
			List<Integer> granted = granted();
			if (granted.contains(0)) {
				return true;
			}
			this.alone.compareAndSet(null, granted);
		}
		return IntStream.range(0, 2).map(this::shared).sum() < tenures;
	}

	private List<Integer> granted() {
		return this.nodes.stream().map(JdbcTestNode::granted).toList();
	}

	private int shared(int node) {
		return this.nodes.get(node).granted() - this.alone.get().get(node);
	}

	private void hold(Lease lease, Duration body) {
		try (lease) {
			long end = System.nanoTime() + body.toNanos();
			while (System.nanoTime() - end < 0) {
				Thread.onSpinWait();
			}
		}
	}

}
