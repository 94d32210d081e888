package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Remembers the containers of locks that existed a short time ago, and creates their
 * root. The server reaps empty containers once a minute. So a container that was used
 * within the last seconds most probably exists. If it does not, only a round trip is
 * lost.
 */
final class LockContainers {

	private static final long MEMORY = Duration.ofSeconds(5).toNanos();

	private static final int MOST = 10_000;

	private final LockPaths paths;

	private final LockClock clock;

	// Guarded by the monitor. The one used longest ago comes first.
	private final Map<String, Long> usedAt = new LinkedHashMap<>(16, 0.75F, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
			return size() > MOST || LockContainers.this.clock.nanoTime() - eldest.getValue() > MEMORY;
		}

	};

	LockContainers(LockPaths paths, LockClock clock) {
		this.paths = paths;
		this.clock = clock;
	}

	synchronized boolean isKnown(String lockPath) {
		Long used = this.usedAt.get(lockPath);
		return used != null && this.clock.nanoTime() - used <= MEMORY;
	}

	synchronized void add(String lockPath) {
		this.usedAt.put(lockPath, this.clock.nanoTime());
	}

	synchronized void forget(String lockPath) {
		this.usedAt.remove(lockPath);
	}

	/**
	 * Create the root, which contains the containers.
	 * @param connectString the connect string, for messages
	 * @return a stage that fails if the server refuses the root, in which case it makes
	 * no sense to continue
	 */
	CompletableFuture<?> createRoot(ZooKeeperRequests requests, String connectString) {
		return ManyAnswers.join(this.paths.rootAndAbove()
			.stream()
			.map((path) -> requests.create(path, CreateMode.PERSISTENT)
				.thenApply((created) -> true)
				.exceptionallyCompose((fault) -> {
					boolean top = path.lastIndexOf('/') == 0;
					if (top && ZooKeeperFaults.isNoNode(fault)) {
						return CompletableFuture.failedFuture(ZooKeeperFaults.noChroot(connectString));
					}
					return ZooKeeperFaults.isRefusal(fault)
							? CompletableFuture.failedFuture(CompletionCauses.unwrap(fault))
							: CompletableFuture.completedFuture(true);
				})));
	}

}
