package io.distributedlock.benchmarks.movingin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.contest.SubjectSide;
import io.distributedlock.it.redis.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the code of the guide for Redisson: code with both locks excludes old and new
 * code, and these two do not exclude each other.
 */
class RedissonMoveIntegrationTests {

	private static final int CALLS = 50;

	private static RedissonClient redisson;

	private static SubjectSide side;

	@BeforeAll
	static void start() {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://127.0.0.1:" + RedisServer.port());
		redisson = Redisson.create(config);
		side = SubjectSide.start("lock.backend=redis", "spring.data.redis.port=" + RedisServer.port());
	}

	@AfterAll
	static void close() {
		side.close();
		redisson.shutdown();
	}

	@Test
	void codeWithBothLocksExcludesOldCode() throws Exception {
		Shipments shipments = new Shipments();
		Code code = code(shipments);

		inTurns(code::before, code::both);

		assertThat(shipments.atOnce()).isOne();
		assertThat(shipments.inAll()).isEqualTo(4 * CALLS);
	}

	@Test
	void codeWithBothLocksExcludesNewCode() throws Exception {
		Shipments shipments = new Shipments();
		Code code = code(shipments);

		inTurns(code::both, code::after);

		assertThat(shipments.atOnce()).isOne();
		assertThat(shipments.inAll()).isEqualTo(4 * CALLS);
	}

	@Test
	void oldAndNewCodeDoNotExcludeEachOther() throws Exception {
		Shipments shipments = new Shipments();
		Code code = code((orderId) -> {
			shipments.ship(orderId);
			shipments.begin();
			Instance.elsewhere(code(shipments)::after);
			shipments.end();
		});

		code.before();

		assertThat(shipments.atOnce()).isEqualTo(2);
	}

	private static Code code(Orders orders) {
		return new Code(redisson, side.template(), orders);
	}

	/**
	 * Run two kinds of code often, each on two threads.
	 */
	private static void inTurns(Shipment one, Shipment other) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Callable<Void>> tasks = new ArrayList<>();
			for (Shipment shipment : List.of(one, other, one, other)) {
				tasks.add(() -> {
					for (int i = 0; i < CALLS; i++) {
						shipment.run();
					}
					return null;
				});
			}
			for (Future<Void> task : threads.invokeAll(tasks)) {
				task.get();
			}
		}
		finally {
			threads.shutdown();
		}
	}

	@FunctionalInterface
	private interface Shipment {

		void run() throws Exception;

	}

	private record Code(RedissonClient redisson, LockTemplate template, Orders orders) {

		void before() throws InterruptedException {
			// tag::redisson-before[]
			RLock lock = this.redisson.getLock("order:42");
			if (lock.tryLock(5, TimeUnit.SECONDS)) {
				try {
					this.orders.ship(42);
				}
				finally {
					lock.unlock();
				}
			}
			// end::redisson-before[]
		}

		void both() throws InterruptedException {
			// tag::redisson-both[]
			RLock old = this.redisson.getLock("order:42");
			if (old.tryLock(5, TimeUnit.SECONDS)) {
				try {
					LockRequest request = LockRequest.of("order:42").waitTime(Duration.ofSeconds(5));
					this.template.tryExecuteWithoutResult(request, (lease) -> this.orders.ship(42));
				}
				finally {
					old.unlock();
				}
			}
			// end::redisson-both[]
		}

		void after() {
			// tag::redisson-after[]
			LockRequest request = LockRequest.of("order:42").waitTime(Duration.ofSeconds(5));
			boolean shipped = this.template.tryExecuteWithoutResult(request, (lease) -> this.orders.ship(42));
			// end::redisson-after[]
			assertThat(shipped).isTrue();
		}

	}

	/**
	 * Counts shipments that happen at the same time.
	 */
	private static final class Shipments implements Orders {

		private final AtomicInteger running = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		private final AtomicInteger all = new AtomicInteger();

		@Override
		public void ship(long orderId) {
			begin();
			Thread.yield();
			end();
			this.all.incrementAndGet();
		}

		void begin() {
			this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
		}

		void end() {
			this.running.decrementAndGet();
		}

		int atOnce() {
			return this.most.get();
		}

		int inAll() {
			return this.all.get();
		}

	}

}
