package io.distributedlock.it.toy;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A free port on 127.0.0.1 at which the server listens. Each of its connections has a
 * thread of its own. A port can lose what arrives at it and what leaves it, while its
 * connections stay open.
 */
final class ToyPort implements Closeable {

	private final ToyServer server;

	private final ServerSocket socket;

	private final Set<ToySocket> clients = ConcurrentHashMap.newKeySet();

	private volatile boolean losesRequests;

	private volatile boolean losesAnswers;

	ToyPort(ToyServer server) {
		this.server = server;
		try {
			this.socket = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	InetSocketAddress address() {
		return (InetSocketAddress) this.socket.getLocalSocketAddress();
	}

	/**
	 * Lose messages from now on, or no longer.
	 * @param requests whether requests are lost
	 * @param answers whether answers and release notifications are lost
	 */
	void lose(boolean requests, boolean answers) {
		this.losesRequests = requests;
		this.losesAnswers = answers;
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "toy-port");
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() {
		while (!this.socket.isClosed()) {
			try {
				ToySocket client = new ToySocket(this.socket.accept());
				start(() -> serve(client));
			}
			catch (IOException ex) {
				// The port was closed, or the client has gone.
			}
		}
	}

	private void serve(ToySocket client) {
		Consumer<ToyMessage> answers = (message) -> write(client, message);
		try (client) {
			this.clients.add(client);
			ToyMessage request = client.read();
			while (request != null && !this.socket.isClosed()) {
				if (!this.losesRequests) {
					answers.accept(this.server.answer(request, answers));
				}
				request = client.read();
			}
		}
		catch (IOException ex) {
			// The client has gone.
		}
		finally {
			this.clients.remove(client);
			this.server.unsubscribe(answers);
		}
	}

	private void write(ToySocket client, ToyMessage message) {
		try {
			if (!this.losesAnswers) {
				client.write(message);
			}
		}
		catch (IOException ex) {
			client.close();
		}
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
		this.clients.forEach(ToySocket::close);
	}

}
