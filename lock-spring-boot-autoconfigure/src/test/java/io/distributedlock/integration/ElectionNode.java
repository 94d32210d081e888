package io.distributedlock.integration;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.LeaderEventPublisher;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockBackend;

/**
 * An application that is a candidate for a role, and its notifications.
 */
final class ElectionNode implements AutoCloseable {

	static final String ROLE = "role";

	static final Duration HEART_BEAT = Duration.ofSeconds(2);

	static final Duration TTL = Duration.ofSeconds(30);

	final CutOffBackend client;

	private final LockEngine engine;

	final Locks locks;

	final LeaderElection election;

	private final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("election-");

	private final AtomicInteger tasks = new AtomicInteger();

	final List<String> news = new CopyOnWriteArrayList<>();

	private final List<Leadership> leaderships = new CopyOnWriteArrayList<>();

	// Set by the test, read by the election's threads.
	volatile Consumer<Leadership> onGranted = (leadership) -> {
	};

	volatile Runnable onRevoked = () -> {
	};

	ElectionNode(LocalStore store, String name, VirtualLockClock clock) {
		this.client = new SilentBackend(new LocalLockBackend(store, name, clock));
		this.engine = new LockEngine(this.client, EngineSettings.DEFAULTS, clock, List.of(), List.of());
		this.locks = new DefaultLocks(this.engine);
		LockTemplate template = new DefaultLockTemplate(this.engine,
				new DefaultScopes(this.engine, LeaseRetention.NONE));
		this.election = new LeaderElection(new LeaderElectionSettings(Set.of(ROLE), HEART_BEAT, TTL, null), template,
				clock, new Listener(), this::execute);
	}

	private void execute(Runnable task) {
		this.tasks.incrementAndGet();
		this.threads.execute(() -> {
			try {
				task.run();
			}
			finally {
				this.tasks.decrementAndGet();
			}
		});
	}

	/**
	 * Return whether the election is working, so that the clock must not advance yet.
	 */
	boolean isBusy() {
		return this.tasks.get() > 0;
	}

	boolean leads() {
		return this.election.isLeader(ROLE);
	}

	Leadership leadership() {
		return this.election.leadership(ROLE).orElseThrow();
	}

	/**
	 * Return the latest leadership of which this application was notified.
	 */
	Leadership lastTold() {
		return this.leaderships.get(this.leaderships.size() - 1);
	}

	@Override
	public void close() {
		this.client.setCutOff(false);
		this.election.stop();
		this.engine.stop();
	}

	/**
	 * Reports the loss of a lock only when asked, like Redis and databases.
	 */
	private static final class SilentBackend extends CutOffBackend {

		SilentBackend(LockBackend delegate) {
			super(delegate);
		}

		@Override
		public BackendConnection connect(BackendListener listener) {
			return super.connect((ownerId) -> {
			});
		}

	}

	/**
	 * Records its notifications.
	 */
	private final class Listener implements LeaderEventPublisher {

		@Override
		public void publishOnGranted(Object source, Context context, String role) {
			ElectionNode node = ElectionNode.this;
			node.leaderships.add((Leadership) context);
			node.news.add("granted " + role);
			node.onGranted.accept((Leadership) context);
		}

		@Override
		public void publishOnRevoked(Object source, Context context, String role) {
			ElectionNode node = ElectionNode.this;
			node.news.add(
					(context == node.lastTold() && !context.isLeader()) ? "revoked " + role : "revoked something else");
			node.onRevoked.run();
		}

		@Override
		public void publishOnFailedToAcquire(Object source, Context context, String role) {
			ElectionNode.this.news.add("failed " + role);
		}

	}

}
