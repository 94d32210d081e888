package io.distributedlock.it.toy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves a ledger by TCP. A message is a number of words and the words. Requests of a
 * connection are answered in their order; one that subscribes receives the names of
 * released locks after that.
 */
final class ToyServer {

	private final Set<DataOutputStream> subscribers = ConcurrentHashMap.newKeySet();

	private final LockLedger ledger = new LockLedger(this::publish);

	private final ServerSocket server;

	private ToyServer(ServerSocket server) {
		this.server = server;
	}

	static ToyServer start() {
		try {
			ToyServer started = new ToyServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
			run("toy-server", started::accept);
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.server.getLocalPort();
	}

	private void accept() throws IOException {
		while (true) {
			Socket client = this.server.accept();
			client.setTcpNoDelay(true);
			run("toy-server-" + client.getPort(), () -> serve(client));
		}
	}

	private void serve(Socket client) throws IOException {
		DataOutputStream out = new DataOutputStream(client.getOutputStream());
		try (client) {
			DataInputStream in = new DataInputStream(client.getInputStream());
			while (true) {
				List<String> words = read(in);
				if (words.get(0).equals("subscribe")) {
					this.subscribers.add(out);
					write(out, List.of());
				}
				else {
					write(out, this.ledger.execute(words));
				}
			}
		}
		finally {
			this.subscribers.remove(out);
		}
	}

	private void publish(String name) {
		for (DataOutputStream subscriber : this.subscribers) {
			try {
				write(subscriber, List.of(name));
			}
			catch (IOException ex) {
				this.subscribers.remove(subscriber);
			}
		}
	}

	static List<String> read(DataInputStream in) throws IOException {
		List<String> words = new ArrayList<>();
		for (int left = in.readInt(); left > 0; left--) {
			words.add(in.readUTF());
		}
		return words;
	}

	static void write(DataOutputStream out, List<String> words) throws IOException {
		synchronized (out) {
			out.writeInt(words.size());
			for (String word : words) {
				out.writeUTF(word);
			}
			out.flush();
		}
	}

	/**
	 * Run a task on a thread of its own, until a connection ends.
	 */
	static void run(String name, Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// The other side has gone.
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	interface Task {

		void run() throws IOException;

	}

}
