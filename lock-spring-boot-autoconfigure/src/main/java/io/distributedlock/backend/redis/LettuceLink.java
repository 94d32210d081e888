package io.distributedlock.backend.redis;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.NoAnswerException;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LockClock;

/**
 * Runs scripts over Lettuce's native connection: asynchronously, and many at a time on
 * the one connection that the factory shares.
 */
final class LettuceLink implements RedisLink {

	private static final Logger logger = LoggerFactory.getLogger(LettuceLink.class);

	private final LettuceConnectionFactory factory;

	private final ScriptFaults faults;

	private final Executor workers;

	// Whether the scripts share the application's connection.
	private final boolean shared;

	private final LockClock clock;

	private final AtomicLong interruptions = new AtomicLong();

	// Set before the first connection is opened.
	private volatile Runnable reconnected = () -> {
	};

	private volatile Runnable silent = () -> {
	};

	private final SilenceWatch silence = new SilenceWatch();

	private final RedisConnectionStateListener listener = new RedisConnectionStateListener() {

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			if (mayHaveCarriedWhatIsSentAgain(connection)) {
				LettuceLink.this.interruptions.incrementAndGet();
			}
		}

		/**
		 * Connections of subscriptions carry no scripts. A closed connection does not
		 * repeat commands, and those that only read the topology are closed after use. In
		 * a Cluster, however, Lettuce sends unanswered commands of a closed connection to
		 * another node.
		 */
		private boolean mayHaveCarriedWhatIsSentAgain(RedisChannelHandler<?, ?> connection) {
			return !(connection instanceof StatefulRedisPubSubConnection<?, ?>)
					&& (!connection.isClosed() || isCluster());
		}

		@Override
		public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
			if (!(connection instanceof StatefulRedisPubSubConnection<?, ?>)) {
				LettuceLink.this.clock.schedule(Duration.ZERO, LettuceLink.this.reconnected);
			}
		}

	};

	// All three are guarded by this object's monitor: the current wire or the one that is
	// being opened, the client that has the listener, and whether this is closed.
	private @Nullable CompletableFuture<LettuceWire> wire;

	private @Nullable AbstractRedisClient client;

	private boolean closed;

	/**
	 * Create a link.
	 * @param factory opens connections
	 * @param settings the settings of the locks; a wait for replicas needs a connection
	 * of its own
	 * @param workers open and drop connections, which may block
	 * @param clock the clock
	 */
	LettuceLink(LettuceConnectionFactory factory, RedisLockSettings settings, Executor workers, LockClock clock) {
		this.factory = factory;
		this.workers = workers;
		this.shared = settings.minReplicaAcks() == 0;
		this.clock = clock;
		this.faults = ScriptFaults.of(factory, settings);
	}

	@Override
	public void open(Runnable onReconnect, Runnable onSilence) {
		this.reconnected = onReconnect;
		this.silent = onSilence;
		// If this fails, the first call tries again.
		var unused = wire();
	}

	@Override
	public boolean isCluster() {
		return this.factory.isClusterAware();
	}

	@Override
	public CompletionStage<List<Object>> run(ScriptCall call, Duration timeout) {
		PendingScript script = begin(call, timeout);
		send(List.of(script));
		return script.call().result();
	}

	@Override
	public List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout) {
		List<PendingScript> pending = calls.stream().map((call) -> begin(call, timeout)).toList();
		send(pending);
		return pending.stream().<CompletionStage<List<Object>>>map((script) -> script.call().result()).toList();
	}

	private PendingScript begin(ScriptCall call, Duration timeout) {
		return PendingScript.begin(call, timeout, this.faults, this.clock);
	}

	/**
	 * Send calls as soon as there is a connection.
	 */
	private void send(List<PendingScript> pending) {
		wire().whenComplete((opened, fault) -> {
			if (fault != null) {
				pending.forEach((script) -> script.call().fail(noConnection(fault)));
			}
			else {
				pending.forEach((script) -> watch(opened, script));
				send(opened, pending);
			}
		});
	}

	/**
	 * Send what has not timed out.
	 */
	private static void send(LettuceWire wire, List<PendingScript> pending) {
		try {
			List<RedisCommand<byte[], byte[], ?>> commands = LettuceCommands.of(wire, pending);
			if (pending.get(0).script().awaited()) {
				wire.writes().sendAtOnce(commands);
			}
			else {
				wire.writes().send(commands);
			}
		}
		catch (RuntimeException ex) {
			pending.forEach((script) -> script.failBy(ex));
		}
	}

	/**
	 * Drop the connection of a call that times out if it has fallen silent.
	 */
	private void watch(LettuceWire wire, PendingScript script) {
		Object route = wire.route(script.script().keys());
		long sentAt = this.clock.nanoTime();
		script.call().result().whenComplete((answer, fault) -> {
			if (!(fault instanceof NoAnswerException)) {
				this.silence.answered(route, this.clock.nanoTime());
			}
			else if (this.silence.timedOut(route, sentAt, this.clock.nanoTime())) {
				drop(wire, route);
			}
		});
	}

	private void drop(LettuceWire wire, Object route) {
		logger.info("A connection to the Redis of the locks does not answer; it is opened again");
		this.silent.run();
		try {
			this.workers.execute(() -> {
				if (!wire.disconnect(route)) {
					replace();
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Stopped meanwhile", ex);
		}
	}

	/**
	 * Let the next call open another connection. A shared connection is reset even though
	 * the application uses it, because it is silent for the application as well.
	 */
	private void replace() {
		CompletableFuture<LettuceWire> current = takeWire();
		if (this.shared) {
			this.factory.resetConnection();
		}
		else if (current != null && current.isDone() && !current.isCompletedExceptionally()) {
			current.join().close();
		}
	}

	/**
	 * Lettuce subscribes on a connection of its own.
	 */
	@Override
	public RedisConnection subscriptionConnection(Duration patience) {
		return this.factory.getConnection();
	}

	@Override
	public boolean breakSubscription(RedisConnection connection) {
		if (!(connection.getNativeConnection() instanceof RedisPubSubAsyncCommands<?, ?> commands)) {
			return false;
		}
		StatefulConnection<?, ?> wire = commands.getStatefulConnection();
		boolean connectsAgain = LettuceWire.breakChannel(wire);
		if (!connectsAgain) {
			wire.closeAsync();
		}
		return connectsAgain;
	}

	private synchronized @Nullable CompletableFuture<LettuceWire> takeWire() {
		CompletableFuture<LettuceWire> current = this.wire;
		this.wire = null;
		return current;
	}

	private static LockUnavailableException noConnection(Throwable fault) {
		return (fault instanceof NotSentException already) ? already : RedisFaults.noConnection(fault);
	}

	@Override
	public CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys) {
		return wire().thenApply((wire) -> wire.primaries(keys));
	}

	@Override
	public long interruptions() {
		return this.interruptions.get();
	}

	private synchronized CompletableFuture<LettuceWire> wire() {
		if (this.closed) {
			return CompletableFuture.failedFuture(stopped());
		}
		CompletableFuture<LettuceWire> current = this.wire;
		if (current != null && (!current.isDone() || isUsable(current))) {
			return current;
		}
		CompletableFuture<LettuceWire> next = new CompletableFuture<>();
		this.wire = next;
		try {
			this.workers.execute(() -> open(next, current));
		}
		catch (RejectedExecutionException ex) {
			next.completeExceptionally(stopped());
		}
		return next;
	}

	static NotSentException stopped() {
		return new NotSentException("The locks in Redis were stopped", null);
	}

	private static boolean isUsable(CompletableFuture<LettuceWire> wire) {
		return !wire.isCompletedExceptionally() && wire.join().isUsable();
	}

	private void open(CompletableFuture<LettuceWire> next, @Nullable CompletableFuture<LettuceWire> before) {
		try {
			if (before != null && !before.isCompletedExceptionally()) {
				before.join().close();
			}
			LettuceWire opened = this.shared ? LettuceWire.shared(this.factory) : LettuceWire.own(this.factory);
			listenTo(this.factory.getRequiredNativeClient());
			if (!next.complete(opened)) {
				opened.close();
			}
		}
		catch (RuntimeException ex) {
			next.completeExceptionally(ex);
		}
	}

	private synchronized void listenTo(AbstractRedisClient current) {
		if (this.client != current && !this.closed) {
			if (this.client != null) {
				this.client.removeListener(this.listener);
			}
			current.addListener(this.listener);
			this.client = current;
		}
	}

	@Override
	public void close() {
		CompletableFuture<LettuceWire> current;
		synchronized (this) {
			this.closed = true;
			current = takeWire();
			if (this.client != null) {
				this.client.removeListener(this.listener);
			}
		}
		if (current != null && !current.completeExceptionally(stopped()) && !current.isCompletedExceptionally()) {
			current.join().close();
		}
	}

}
