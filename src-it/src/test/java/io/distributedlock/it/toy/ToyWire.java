package io.distributedlock.it.toy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ThreadPoolExecutor;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.notification.NotificationSource;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.spi.LockClock;

/**
 * Sends requests to the toy server, by one connection that is opened when it is needed
 * and has broken, and subscribes to releases by another.
 */
final class ToyWire implements NotificationSource, AutoCloseable {

	private static final int CONNECT_TIMEOUT = 1000;

	private final InetSocketAddress server;

	private final Duration timeout;

	private final LockClock clock;

	// Connects and writes, so that no caller is blocked.
	private final ThreadPoolExecutor writer = StoreThreads.named("toy-writer", 1);

	// Used by the writer only, but for the end.
	private volatile @Nullable Line line;

	ToyWire(InetSocketAddress server, Duration timeout, LockClock clock) {
		this.server = server;
		this.timeout = timeout;
		this.clock = clock;
	}

	/**
	 * Send a request.
	 * @param words the operation and its arguments
	 * @return the call; it fails if the connection breaks before the answer
	 */
	StoreCall<List<String>> send(List<String> words) {
		return send(words, this.timeout);
	}

	StoreCall<List<String>> send(List<String> words, Duration timeout) {
		StoreCall<List<String>> call = new StoreCall<List<String>>("The toy server", timeout, this.clock).startTimer();
		if (this.writer.isShutdown()) {
			call.fail(new NotSentException("The connection to the toy server is closed", null));
		}
		else {
			this.writer.execute(() -> write(words, call));
		}
		return call;
	}

	private void write(List<String> words, StoreCall<List<String>> call) {
		try {
			Line current = this.line;
			if (current == null || current.socket.isClosed()) {
				current = new Line(connect());
				this.line = current;
				ToyServer.run("toy-reader", current::read);
			}
			if (call.send()) {
				current.calls.add(call);
				ToyServer.write(current.out, words);
			}
		}
		catch (IOException ex) {
			call.fail(ex);
		}
	}

	private Socket connect() throws IOException {
		Socket socket = new Socket();
		socket.setTcpNoDelay(true);
		socket.connect(this.server, CONNECT_TIMEOUT);
		return socket;
	}

	@Override
	public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		CompletableFuture<ReleaseSubscription> subscribed = new CompletableFuture<>();
		ToyServer.run("toy-listener", () -> {
			try (Socket socket = connect()) {
				DataInputStream in = new DataInputStream(socket.getInputStream());
				ToyServer.write(new DataOutputStream(socket.getOutputStream()), List.of("subscribe"));
				ToyServer.read(in);
				subscribed.complete(() -> close(socket));
				while (true) {
					listener.released(ToyServer.read(in).get(0));
				}
			}
			catch (IOException ex) {
				if (!subscribed.completeExceptionally(ex)) {
					listener.ended();
				}
			}
		});
		return subscribed;
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// Is closed as well as it can be.
		}
	}

	@Override
	public void close() {
		this.writer.shutdown();
		Line current = this.line;
		if (current != null) {
			close(current.socket);
		}
	}

	/**
	 * A connection. Answers come in the order of the calls.
	 */
	private static final class Line {

		private final Socket socket;

		private final DataOutputStream out;

		private final Deque<StoreCall<List<String>>> calls = new ConcurrentLinkedDeque<>();

		Line(Socket socket) throws IOException {
			this.socket = socket;
			this.out = new DataOutputStream(socket.getOutputStream());
		}

		private void read() throws IOException {
			try (this.socket) {
				DataInputStream in = new DataInputStream(this.socket.getInputStream());
				while (true) {
					List<String> answer = ToyServer.read(in);
					this.calls.remove().complete(answer);
				}
			}
			finally {
				this.calls.forEach((call) -> call.fail(new IOException("The toy server has gone")));
			}
		}

	}

}
