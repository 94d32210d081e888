package io.distributedlock.it.toy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.call.NoAnswerException;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.notification.ReleaseSubscription;

/**
 * One TCP connection of a client, from its first request to its end. It sends a request
 * without waiting for earlier answers, and never repeats one. It ends with a fault, or if
 * a request times out without any message from the server in that time.
 */
final class ToyLink implements ReleaseSubscription {

	private final ToySettings settings;

	private final Consumer<String> releases;

	// Takes no further requests.
	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private final CompletableFuture<Void> closed = new CompletableFuture<>();

	private final Map<Long, Pending> pending = new ConcurrentHashMap<>();

	// The monitor guards these two: whether no further requests are taken, and how many
	// of those that were taken have no answer. A link that ends is closed when there are
	// none.
	private boolean ending;

	private int unanswered;

	private final AtomicLong numbers = new AtomicLong(ToyMessage.RELEASE);

	// Their threads end by themselves when there is nothing to do.
	private final Executor sender = StoreThreads.named("toy-sender", 1);

	private final Executor reader = StoreThreads.named("toy-reader", 1);

	// Only used by the sender.
	private @Nullable ToySocket socket;

	// When the latest message came from the server.
	private volatile long heardAt;

	/**
	 * Create a link that is not connected yet.
	 * @param settings the settings
	 * @param releases receives the names of locks that were released
	 */
	ToyLink(ToySettings settings, Consumer<String> releases) {
		this.settings = settings;
		this.releases = releases;
	}

	/**
	 * Send a request.
	 * @param timeout how long it may take
	 * @param words the request
	 * @return the answer, or an exception that shows whether the request was sent; empty
	 * if the link takes no further requests
	 */
	Optional<CompletableFuture<ToyAnswer>> ask(Duration timeout, Object... words) {
		synchronized (this) {
			if (this.ending) {
				return Optional.empty();
			}
			this.unanswered++;
		}
		StoreCall<ToyAnswer> call = new StoreCall<>(this.settings.store(), timeout, this.settings.clock());
		ToyMessage request = ToyMessage.of(this.numbers.incrementAndGet(), List.of(words));
		call.result().whenComplete((answer, fault) -> answered(request.number()));
		this.sender.execute(() -> send(call, request));
		return Optional.of(call.startTimer().result());
	}

	/**
	 * Return whether the link takes further requests.
	 */
	synchronized boolean isOpen() {
		return !this.ending;
	}

	/**
	 * Return a future that completes when the link has ended: it takes no further
	 * requests, but may still receive answers.
	 */
	CompletableFuture<Void> end() {
		return this.end;
	}

	private void send(StoreCall<ToyAnswer> call, ToyMessage request) {
		try {
			ToySocket connected = connected();
			long sentAt = this.settings.clock().nanoTime();
			if (call.send()) {
				this.pending.put(request.number(), new Pending(call, sentAt));
				call.onTimeout(() -> endIfSilentSince(sentAt));
				connected.write(request);
			}
		}
		catch (IOException ex) {
			call.withdraw(new NotSentException(this.settings.store() + " can't be reached", ex));
			close();
		}
	}

	private ToySocket connected() throws IOException {
		if (this.closed.isDone()) {
			throw new IOException("The connection has ended");
		}
		ToySocket connected = this.socket;
		return (connected != null) ? connected : connect();
	}

	private ToySocket connect() throws IOException {
		ToySocket connected = ToySocket.connect(this.settings.server(), this.settings.callTimeout());
		this.socket = connected;
		this.closed.thenRun(connected::close);
		this.reader.execute(() -> read(connected));
		return connected;
	}

	private void read(ToySocket source) {
		try {
			for (ToyMessage message = source.read(); message != null; message = source.read()) {
				this.heardAt = this.settings.clock().nanoTime();
				receive(message);
			}
		}
		catch (IOException ex) {
			// The connection was closed, by the server or by this client.
		}
		finally {
			close();
		}
	}

	private void receive(ToyMessage message) {
		if (message.number() == ToyMessage.RELEASE) {
			this.releases.accept(message.text(0));
			return;
		}
		Pending asked = this.pending.get(message.number());
		if (asked != null) {
			asked.call().complete(new ToyAnswer(message, asked.sentAt()));
		}
	}

	/**
	 * End the link if it may be broken. It is closed when the later requests that it has
	 * sent have their answers, or have timed out, too.
	 */
	private void endIfSilentSince(long time) {
		if (this.heardAt - time < 0) {
			boolean done;
			synchronized (this) {
				this.ending = true;
				done = this.unanswered == 0;
			}
			this.end.complete(null);
			if (done) {
				close();
			}
		}
	}

	private void answered(long number) {
		this.pending.remove(number);
		boolean done;
		synchronized (this) {
			this.unanswered--;
			done = this.ending && this.unanswered == 0;
		}
		if (done) {
			close();
		}
	}

	@Override
	public CompletionStage<Void> check() {
		return ask(this.settings.callTimeout(), "SUBSCRIBE", this.settings.prefix()).orElseGet(this::ended)
			.thenAccept((confirmed) -> {
			});
	}

	/**
	 * Return the answer to a request that this link does not take any more.
	 */
	CompletableFuture<ToyAnswer> ended() {
		return CompletableFuture
			.failedFuture(new NotSentException(this.settings.store() + " can't be reached", new IOException("closed")));
	}

	/**
	 * End the link, and the calls that were sent over it.
	 */
	@Override
	public void close() {
		synchronized (this) {
			this.ending = true;
		}
		this.end.complete(null);
		this.closed.complete(null);
		this.pending.values()
			.forEach((asked) -> asked.call()
				.fail(new NoAnswerException(this.settings.store() + " gave no answer before the connection ended")));
	}

	/**
	 * A request that was sent.
	 */
	private record Pending(StoreCall<ToyAnswer> call, long sentAt) {
	}

}
