package io.distributedlock.backend.redlock.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands in the order in which they were given. The driver writes commands from
 * the connection's own thread at once, before those that other threads have queued for
 * it. A release from there would overtake the acquisition that it undoes. So commands are
 * never sent from such threads, and by one thread at a time.
 */
final class CommandOrder {

	private final StatefulRedisConnection<byte[], byte[]> wire;

	private final Executor elsewhere;

	private final Queue<RedisCommand<byte[], byte[], ?>> waiting = new ConcurrentLinkedQueue<>();

	// The thread that raises it from zero sends, until it is zero again.
	private final AtomicInteger work = new AtomicInteger();

	// The last command if it is a batch. Guarded by the monitor, under which commands are
	// also added, so that no command gets between the batch and a call that joins it.
	private @Nullable NodeCallBatch last;

	/**
	 * Create an order.
	 * @param wire the connection
	 * @param elsewhere a thread that reads from no connection
	 */
	CommandOrder(StatefulRedisConnection<byte[], byte[]> wire, Executor elsewhere) {
		this.wire = wire;
		this.elsewhere = elsewhere;
	}

	/**
	 * Let a call join the last command, if that is a batch which is not written yet. No
	 * command was sent after it, so the call keeps its place.
	 * @return {@code false} if it must be sent in a batch of its own
	 */
	synchronized boolean join(NodeCall call) {
		return this.last != null && this.last.add(call);
	}

	void send(RedisCommand<byte[], byte[], ?> command, @Nullable NodeCallBatch batch) {
		synchronized (this) {
			this.last = batch;
			this.waiting.add(command);
		}
		if (this.work.getAndIncrement() != 0) {
			return;
		}
		if (!(Thread.currentThread() instanceof FastThreadLocalThread)) {
			sendAll();
			return;
		}
		try {
			this.elsewhere.execute(this::sendAll);
		}
		catch (RejectedExecutionException ex) {
			// The client is being stopped, so all waiting commands fail.
			this.waiting.forEach((each) -> each.completeExceptionally(ex));
		}
	}

	private void sendAll() {
		int seen = this.work.get();
		while (seen > 0) {
			List<RedisCommand<byte[], byte[], ?>> batch = new ArrayList<>();
			RedisCommand<byte[], byte[], ?> next = this.waiting.poll();
			while (next != null) {
				batch.add(next);
				next = this.waiting.poll();
			}
			dispatch(batch);
			seen = this.work.addAndGet(-seen);
		}
	}

	private void dispatch(List<RedisCommand<byte[], byte[], ?>> batch) {
		try {
			if (batch.size() == 1) {
				this.wire.dispatch(batch.get(0));
			}
			else if (!batch.isEmpty()) {
				this.wire.dispatch(batch);
			}
		}
		catch (RuntimeException ex) {
			batch.forEach((command) -> command.completeExceptionally(ex));
		}
	}

}
