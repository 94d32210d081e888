package io.distributedlock.backend.redis;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
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

	private final LockClock clock;

	private final AtomicLong interruptions = new AtomicLong();

	// Set before the first connection is opened.
	private volatile Runnable reconnected = () -> {
	};

	private volatile Runnable silent = () -> {
	};

	private final SilenceWatch silence = new SilenceWatch(
			(connection) -> connection instanceof RedisChannelHandler<?, ?> channel && channel.isClosed());

	private final InterruptedConnections interrupted = new InterruptedConnections();

	private final RedisConnectionStateListener listener = new RedisConnectionStateListener() {

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			if (!connection.isClosed()) {
				LettuceLink.this.interrupted.interrupted(connection, LettuceLink.this.clock.nanoTime());
			}
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
			LettuceLink.this.interrupted.connected(connection);
			if (!(connection instanceof StatefulRedisPubSubConnection<?, ?>)) {
				LettuceLink.this.clock.schedule(Duration.ZERO, LettuceLink.this.reconnected);
			}
		}

	};

	private final LettuceConnections connections;

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
		this.clock = clock;
		this.connections = new LettuceConnections(factory, settings.minReplicaAcks() == 0, this.listener, workers,
				clock);
		this.faults = ScriptFaults.of(factory, settings);
	}

	@Override
	public void open(Runnable onReconnect, Runnable onSilence) {
		this.reconnected = onReconnect;
		this.silent = onSilence;
		// If this fails, the first call tries again.
		var unused = this.connections.current();
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
	 * Send calls as soon as there is a connection. Those over a connection that has been
	 * interrupted for long are sent over another one, or fail.
	 */
	private void send(List<PendingScript> pending) {
		this.connections.current().whenComplete((opened, fault) -> {
			if (fault != null) {
				failUnsent(pending, fault);
			}
			else if (this.interrupted.isEmpty()) {
				watchAndSend(opened, pending);
			}
			else {
				List<PendingScript> overdue = new ArrayList<>();
				List<PendingScript> others = new ArrayList<>();
				pending.forEach((script) -> (isOverdue(opened, script) ? overdue : others).add(script));
				watchAndSend(opened, others);
				sendAnew(opened, overdue);
			}
		});
	}

	private boolean isOverdue(LettuceWire wire, PendingScript script) {
		StatefulConnection<?, ?> channel = wire.channel(script.script().keys());
		return channel != null && !channel.isOpen() && this.interrupted.isOverdue(channel, this.clock.nanoTime());
	}

	private void sendAnew(LettuceWire before, List<PendingScript> overdue) {
		if (overdue.isEmpty()) {
			return;
		}
		// The subscription was interrupted as well.
		this.connections.replace(before, this.silent).whenComplete((opened, fault) -> {
			if (fault != null) {
				failUnsent(overdue, fault);
			}
			else {
				watchAndSend(opened, overdue);
			}
		});
	}

	private static void failUnsent(List<PendingScript> pending, Throwable fault) {
		pending.forEach((script) -> script.call().fail(noConnection(fault)));
	}

	private void watchAndSend(LettuceWire opened, List<PendingScript> pending) {
		if (!pending.isEmpty()) {
			pending.forEach((script) -> watch(opened, script));
			send(opened, pending);
		}
	}

	/**
	 * Send what has not timed out.
	 */
	private static void send(LettuceWire wire, List<PendingScript> pending) {
		try {
			if (pending.stream().anyMatch((script) -> script.script().acks() != null)) {
				wire.waits().send(pending);
				return;
			}
			List<RedisCommand<byte[], byte[], ?>> commands = LettuceCommands.of(wire.writes(), pending);
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
			if (!script.call().wasSent()) {
				return;
			}
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
					this.connections.discard();
				}
			});
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Stopped meanwhile", ex);
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
		// One that is interrupted already would wait for the driver's next try.
		boolean connectsAgain = wire.isOpen() && LettuceWire.breakChannel(wire);
		if (!connectsAgain) {
			wire.closeAsync();
		}
		return connectsAgain;
	}

	private static LockUnavailableException noConnection(Throwable fault) {
		return (fault instanceof NotSentException already) ? already : RedisFaults.noConnection(fault);
	}

	@Override
	public CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys) {
		return this.connections.current().thenApply((wire) -> wire.primaries(keys));
	}

	@Override
	public long interruptions() {
		return this.interruptions.get();
	}

	@Override
	public void close() {
		this.connections.close();
	}

}
