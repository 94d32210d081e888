package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.util.internal.ThreadExecutorMap;
import org.jspecify.annotations.Nullable;

/**
 * Gathers commands for which no thread is blocked, and writes them in one flush as soon
 * as the driver's thread gets to them. An idle driver writes a command at once. While it
 * is busy with other writes and answers, commands gather, and share a system call here
 * and at the server. The driver alone would flush each of them.
 * <p>
 * The command of a blocked thread is written at once. There are only as many as there are
 * threads, and the server works on one while the next is on its way: gathered, they would
 * leave the server idle while the driver wakes their threads, and the other way around.
 * <p>
 * Commands that are written elsewhere may overtake those that wait here. Nothing relies
 * on that order: a lease is released only after the answer to its attempt. An attempt
 * that has timed out is cancelled, so that the driver does not write it any more, and its
 * owner id is abandoned again and again until its TTL has passed.
 */
final class GatheredWrites {

	private final Consumer<List<RedisCommand<byte[], byte[], ?>>> writer;

	private final Supplier<? extends @Nullable Executor> current;

	private final Queue<RedisCommand<byte[], byte[], ?>> waiting = new ConcurrentLinkedQueue<>();

	// True from before a write is scheduled until it looks at the queue. A command is
	// added before this is read, so that it is either seen or schedules a write.
	private final AtomicBoolean scheduled = new AtomicBoolean();

	// The thread of the driver, known from the first write on. After a reconnect it may
	// be another one; writes on the former one are slower, and no less correct.
	private volatile @Nullable Executor driver;

	/**
	 * Create gathered writes.
	 * @param writer writes commands in one flush
	 * @param current returns the executor that the calling thread belongs to, or
	 * {@code null} if there is none
	 */
	GatheredWrites(Consumer<List<RedisCommand<byte[], byte[], ?>>> writer,
			Supplier<? extends @Nullable Executor> current) {
		this.writer = writer;
		this.current = current;
	}

	/**
	 * Create writes to a connection. Those to a Cluster are made one by one by their
	 * callers: Lettuce writes several only when it is connected to each of their servers,
	 * and its own thread would wait for that, perhaps for itself. A server that can't be
	 * reached would also fail the commands for the others.
	 * @param wire the connection
	 */
	static GatheredWrites to(StatefulConnection<byte[], byte[]> wire) {
		return (wire instanceof StatefulRedisClusterConnection<?, ?>)
				? new GatheredWrites((commands) -> commands.forEach(wire::dispatch), () -> null)
				: new GatheredWrites((commands) -> write(wire, commands), GatheredWrites::currentExecutor);
	}

	/**
	 * Write commands. The driver's own timeouts do not apply, since each script has one:
	 * the driver would start a timer for each command.
	 */
	private static void write(StatefulConnection<byte[], byte[]> wire, List<RedisCommand<byte[], byte[], ?>> commands) {
		RedisCommand<byte[], byte[], ?> only = (commands.size() == 1) ? commands.get(0) : null;
		if (wire instanceof RedisChannelHandler<?, ?> handler
				&& handler.getChannelWriter() instanceof CommandExpiryWriter expiring
				&& !handler.getResources().tracing().isEnabled()) {
			RedisChannelWriter writer = expiring.getDelegate();
			var unused = (only != null) ? writer.write(only) : writer.write(commands);
		}
		else {
			var unused = (only != null) ? wire.dispatch(only) : wire.dispatch(commands);
		}
	}

	/**
	 * Return the executor that the calling thread belongs to. Netty has no public way to
	 * ask. In a version without this one, each command is written by its caller.
	 */
	private static @Nullable Executor currentExecutor() {
		try {
			return ThreadExecutorMap.currentExecutor();
		}
		catch (LinkageError ex) {
			return null;
		}
	}

	/**
	 * Record that the calling thread writes to the connection.
	 */
	void writing() {
		Executor executor = this.current.get();
		if (executor != this.driver) {
			this.driver = executor;
		}
	}

	/**
	 * Send commands. Several that are given together are not gathered with others.
	 * @param commands the commands
	 */
	void send(List<RedisCommand<byte[], byte[], ?>> commands) {
		if (commands.size() == 1) {
			send(commands.get(0));
		}
		else {
			sendAtOnce(commands);
		}
	}

	/**
	 * Send commands without gathering them.
	 * @param commands the commands of a call whose thread is blocked
	 */
	void sendAtOnce(List<RedisCommand<byte[], byte[], ?>> commands) {
		if (!commands.isEmpty()) {
			this.writer.accept(commands);
		}
	}

	void send(RedisCommand<byte[], byte[], ?> command) {
		this.waiting.add(command);
		if (this.scheduled.compareAndSet(false, true)) {
			try {
				if (!isAccepted(this.driver)) {
					write();
				}
			}
			catch (RuntimeException | Error ex) {
				// For example on a deep stack. A write that is scheduled and never runs
				// would hold back all later commands.
				this.scheduled.set(false);
				throw ex;
			}
		}
	}

	private boolean isAccepted(@Nullable Executor executor) {
		if (executor == null) {
			return false;
		}
		try {
			executor.execute(this::write);
			return true;
		}
		catch (RejectedExecutionException ex) {
			// The driver has ended, and so fails the commands.
			return false;
		}
	}

	private void write() {
		this.scheduled.set(false);
		List<RedisCommand<byte[], byte[], ?>> commands = new ArrayList<>();
		RedisCommand<byte[], byte[], ?> next = this.waiting.poll();
		while (next != null) {
			commands.add(next);
			next = this.waiting.poll();
		}
		try {
			if (!commands.isEmpty()) {
				this.writer.accept(commands);
			}
		}
		catch (Throwable ex) {
			// The thread may belong to another caller, or to the driver.
			commands.forEach((command) -> command.completeExceptionally(ex));
		}
	}

}
