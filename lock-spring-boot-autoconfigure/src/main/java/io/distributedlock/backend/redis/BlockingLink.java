package io.distributedlock.backend.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.util.Streamable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LockClock;

/**
 * Runs scripts through Spring Data's connections, with any driver. Calls that are sent
 * together take one worker and one connection of the pool. Renewals and releases have
 * workers of their own.
 */
final class BlockingLink implements RedisLink {

	private static final Logger logger = LoggerFactory.getLogger(BlockingLink.class);

	/**
	 * Number of threads for renewals and releases, which therefore do not queue behind
	 * attempts.
	 */
	private static final int KEEPERS = 2;

	/**
	 * A connection in doubt has to answer within this fraction of a call's time: a tenth.
	 */
	private static final int PROBES = 10;

	/**
	 * Number of silent connections after which a subscription takes the next one
	 * unchecked.
	 */
	private static final int MOST_SILENT = 16;

	/**
	 * Least number of renewals that the keepers share.
	 */
	private static final int SHARED = 20;

	private final RedisConnectionFactory factory;

	private final ScriptFaults faults;

	private final Executor workers;

	private final LockClock clock;

	private final AnsweredConnections answered = new AnsweredConnections();

	private final SilenceWatch silence = new SilenceWatch((connection) -> false);

	private volatile Runnable silent = () -> {
	};

	private final ExecutorService keepers = StoreThreads.named("lock-redis-keeper", KEEPERS);

	// Whether there is only one server. Of an unknown driver the first connection shows
	// it,
	// which is made before any calls can be sent together.
	private volatile boolean single;

	BlockingLink(RedisConnectionFactory factory, RedisLockSettings settings, Executor workers, LockClock clock) {
		this.factory = factory;
		this.workers = workers;
		this.clock = clock;
		this.faults = ScriptFaults.of(factory, settings);
		this.single = RedisFactoryDetails.hasOnePrimary(factory);
	}

	@Override
	public void open(Runnable onReconnect, Runnable onSilence) {
		this.silent = onSilence;
	}

	@Override
	public RedisConnection subscriptionConnection(Duration patience) {
		RedisConnection connection = JedisConnections.dedicated(this.factory.getConnection());
		for (int i = 0; i < MOST_SILENT && !answers(connection, patience.dividedBy(MOST_SILENT)); i++) {
			// The pool closes a broken connection.
			connection.close();
			connection = JedisConnections.dedicated(this.factory.getConnection());
		}
		return connection;
	}

	@Override
	public boolean breakSubscription(RedisConnection connection) {
		// Idle connections of the pool have probably fallen silent, too.
		this.answered.suspectAll();
		return JedisConnections.cut(connection);
	}

	@Override
	public boolean isCluster() {
		return !this.single;
	}

	@Override
	public List<CompletionStage<List<Object>>> runAll(List<ScriptCall> calls, Duration timeout) {
		List<PendingScript> pending = calls.stream().map((call) -> begin(call, timeout)).toList();
		try {
			Executor executor = RedisScripts.keepsLeases(calls.get(0).script()) ? this.keepers : this.workers;
			for (List<PendingScript> share : shares(pending, executor)) {
				executor.execute(() -> send(share));
			}
		}
		catch (RejectedExecutionException ex) {
			pending
				.forEach((script) -> script.call().fail(new NotSentException("The locks in Redis were stopped", ex)));
		}
		return pending.stream().<CompletionStage<List<Object>>>map((script) -> script.call().result()).toList();
	}

	private PendingScript begin(ScriptCall call, Duration timeout) {
		return PendingScript.begin(call, timeout, this.faults, this.clock);
	}

	/**
	 * Let all keepers share a long list of renewals, each of which costs a round trip.
	 * Calls with a wait for replicas stay together, because the wait covers the writes of
	 * its own connection only.
	 */
	private List<List<PendingScript>> shares(List<PendingScript> pending, Executor executor) {
		if (executor != this.keepers || pending.size() < SHARED
				|| pending.stream().anyMatch((script) -> script.script().acks() != null)) {
			return List.of(pending);
		}
		return ManyAnswers.chunks(pending, (pending.size() + KEEPERS - 1) / KEEPERS);
	}

	private void send(List<PendingScript> pending) {
		RedisConnection opened;
		try {
			opened = borrow(pending.get(0));
		}
		catch (RuntimeException ex) {
			LockUnavailableException fault = RedisFaults.noConnection(ex);
			pending.forEach((script) -> script.call().fail(fault));
			return;
		}
		this.single = !(opened instanceof RedisClusterConnection);
		try (RedisConnection connection = opened) {
			for (PendingScript script : pending) {
				if (script.call().send()) {
					send(connection, script);
				}
			}
		}
		catch (RuntimeException ex) {
			// Thrown only when the connection is given back. All calls have ended by
			// then.
			return;
		}
	}

	/**
	 * Borrow a connection. After a call without an answer, a connection that has not
	 * answered since then is checked first. The idle connections of a pool fall silent
	 * together.
	 */
	private RedisConnection borrow(PendingScript first) {
		RedisConnection connection = this.factory.getConnection();
		while (!first.call().isEnded() && !answers(connection, first.timeout().dividedBy(PROBES))) {
			// The pool closes a broken connection.
			connection.close();
			connection = this.factory.getConnection();
		}
		return connection;
	}

	/**
	 * Return whether a connection works. It is checked only if that is in doubt since a
	 * call had no answer. A connection that does not answer is broken afterwards.
	 */
	private boolean answers(RedisConnection connection, Duration patience) {
		Object identity = JedisConnections.identity(connection);
		if (!this.answered.isSuspect(identity)) {
			return true;
		}
		boolean answers = JedisConnections.answers(connection, patience);
		if (answers) {
			this.answered.add(identity);
		}
		return answers;
	}

	private void send(RedisConnection connection, PendingScript script) {
		long sentAt = this.clock.nanoTime();
		script.call().onTimeout(() -> unanswered(connection, sentAt));
		Runnable undo = JedisConnections.limit(connection, script.timeout());
		try {
			List<Object> answer = withAcks(connection, script.script(), run(connection, script));
			answered(connection);
			script.call().complete(answer);
		}
		catch (RuntimeException ex) {
			if (RedisFaults.isAnswer(ex)) {
				answered(connection);
			}
			else {
				this.answered.suspectAll();
				unanswered(connection, sentAt);
			}
			script.failBy(ex);
		}
		finally {
			undo.run();
		}
	}

	private void answered(RedisConnection connection) {
		this.answered.add(JedisConnections.identity(connection));
		this.silence.answered(this, this.clock.nanoTime());
	}

	private void unanswered(RedisConnection connection, long sentAt) {
		if (this.silence.timedOut(this, sentAt, this.clock.nanoTime())) {
			logger.info("Connections to the Redis of the locks do not answer; they are opened again");
			this.answered.suspectAll();
			JedisConnections.closeIdle(connection);
			this.silent.run();
		}
	}

	private static List<Object> withAcks(RedisConnection connection, ScriptCall call, List<Object> answer) {
		ScriptCall.Acks acks = call.acks();
		if (acks == null) {
			return answer;
		}
		if (connection instanceof RedisClusterConnection) {
			throw new LockUnavailableException("lock.redis.min-replica-acks is not possible with a Redis Cluster");
		}
		List<Object> all = new ArrayList<>(answer);
		all.add(connection.execute("WAIT", bytes(acks.number()), bytes(acks.timeout().toMillis())));
		return all;
	}

	private static byte[] bytes(long number) {
		return String.valueOf(number).getBytes(StandardCharsets.UTF_8);
	}

	private static List<Object> run(RedisConnection connection, PendingScript script) {
		ScriptCall call = script.script();
		List<byte[]> all = new ArrayList<>(call.keys());
		all.addAll(call.arguments());
		byte[][] arguments = all.toArray(byte[][]::new);
		int keys = call.keys().size();
		try {
			return connection.scriptingCommands().evalSha(call.script().sha1(), ReturnType.MULTI, keys, arguments);
		}
		catch (RuntimeException ex) {
			if (!RedisFaults.isScriptUnknown(ex) || script.call().isEnded()) {
				throw ex;
			}
			// The server has not run the script, so this is still the same attempt.
			byte[] source = call.script().source().getBytes(StandardCharsets.UTF_8);
			return connection.scriptingCommands().eval(source, ReturnType.MULTI, keys, arguments);
		}
	}

	@Override
	public CompletionStage<List<List<byte[]>>> primaries(RedisKeys keys) {
		CompletableFuture<List<List<byte[]>>> primaries = new CompletableFuture<>();
		try {
			this.workers.execute(() -> findPrimaries(keys, primaries));
		}
		catch (RejectedExecutionException ex) {
			primaries.completeExceptionally(new NotSentException("The locks in Redis were stopped", ex));
		}
		return primaries;
	}

	private void findPrimaries(RedisKeys keys, CompletableFuture<List<List<byte[]>>> primaries) {
		try (RedisConnection connection = this.factory.getConnection()) {
			primaries.complete((connection instanceof RedisClusterConnection cluster) ? primaries(cluster, keys)
					: List.of(List.of()));
		}
		catch (RuntimeException ex) {
			// Has no effect if only giving the connection back has failed.
			primaries.completeExceptionally(RedisFaults.noConnection(ex));
		}
	}

	private static List<List<byte[]>> primaries(RedisClusterConnection cluster, RedisKeys keys) {
		return Streamable.of(cluster.clusterGetNodes())
			.filter((node) -> node.isMaster() && !node.getSlotRange().getSlots().isEmpty())
			.map((node) -> List.of(keys.anyLock((name) -> node.servesSlot(ClusterSlotHashUtil.calculateSlot(name)))))
			.toList();
	}

	@Override
	public void close() {
		this.keepers.shutdown();
	}

}
