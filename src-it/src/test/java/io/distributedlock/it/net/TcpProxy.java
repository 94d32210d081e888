package io.distributedlock.it.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy in front of a server on this machine, whose connections can be cut, delayed
 * or made to lose what one side sends.
 */
public final class TcpProxy implements AutoCloseable {

	private final int target;

	private final ServerSocket server;

	private final Flow requests = new Flow();

	private final Flow answers = new Flow();

	private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

	// These two are written by tests, read by the thread that accepts.
	private volatile boolean cut;

	private volatile Duration connectionDelay = Duration.ZERO;

	private TcpProxy(int target, ServerSocket server) {
		this.target = target;
		this.server = server;
	}

	/**
	 * Open a proxy on a free port of 127.0.0.1.
	 * @param port the port of the server on 127.0.0.1; it need not run yet
	 * @return the proxy
	 */
	public static TcpProxy to(int port) {
		try {
			TcpProxy proxy = new TcpProxy(port, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
			Thread thread = new Thread(proxy::accept, "proxy-" + proxy.port());
			thread.setDaemon(true);
			thread.start();
			return proxy;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Open a proxy that records the data of clients, so that a test can search it for
	 * text that must not be readable.
	 * @param port the port of the server on 127.0.0.1; it need not run yet
	 * @return the proxy, whose {@link #requests()} are recorded
	 */
	public static TcpProxy recording(int port) {
		TcpProxy proxy = to(port);
		proxy.requests.record();
		return proxy;
	}

	/**
	 * Return the port to connect to.
	 * @return the port on 127.0.0.1
	 */
	public int port() {
		return this.server.getLocalPort();
	}

	/**
	 * Return what happens on the way to the server.
	 * @return the flow, to be changed
	 */
	public Flow requests() {
		return this.requests;
	}

	/**
	 * Return what happens on the way back.
	 * @return the flow, to be changed
	 */
	public Flow answers() {
		return this.answers;
	}

	/**
	 * Delay both ways so that a round trip takes longer by a time.
	 * @param roundTrip the time; zero for none
	 */
	public void delay(Duration roundTrip) {
		this.requests.delay(roundTrip.dividedBy(2));
		this.answers.delay(roundTrip.dividedBy(2));
	}

	/**
	 * Let each new connection reach the server later by a time. Data that the client
	 * sends meanwhile waits.
	 * @param delay the time; zero for none
	 */
	public void delayConnections(Duration delay) {
		this.connectionDelay = delay;
	}

	/**
	 * Close all connections and refuse new ones.
	 */
	public void cut() {
		this.cut = true;
		this.connections.forEach(Connection::close);
	}

	/**
	 * Allow new connections, and let everything pass.
	 */
	public void restore() {
		this.cut = false;
		this.requests.pass();
		this.answers.pass();
	}

	/**
	 * Swallow the data of the currently open connections, both ways, and leave them open,
	 * like a firewall that has forgotten them. New connections work.
	 */
	public void silence() {
		this.connections.forEach(Connection::silence);
	}

	/**
	 * Return how many connections are open.
	 * @return how many
	 */
	public int connections() {
		return this.connections.size();
	}

	@Override
	public void close() {
		cut();
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Socket client = this.server.accept();
				if (this.cut) {
					client.close();
				}
				else if (this.connectionDelay.isZero()) {
					connect(client);
				}
				else {
					CompletableFuture.delayedExecutor(this.connectionDelay.toNanos(), TimeUnit.NANOSECONDS)
						.execute(() -> connectLater(client));
				}
			}
			catch (IOException ex) {
				// This client has gone, or the proxy is closed.
			}
		}
	}

	private void connectLater(Socket client) {
		try {
			connect(client);
		}
		catch (IOException ex) {
			// The client sees the end of its connection.
		}
	}

	private void connect(Socket client) throws IOException {
		Socket server;
		try {
			server = new Socket(InetAddress.getLoopbackAddress(), this.target);
		}
		catch (IOException ex) {
			client.close();
			throw ex;
		}
		client.setTcpNoDelay(true);
		server.setTcpNoDelay(true);
		Connection connection = new Connection(client, server);
		this.connections.add(connection);
		new Pipe(client, server, this.requests, connection::isSilenced, connection::close)
			.start("proxy-" + port() + "-requests");
		new Pipe(server, client, this.answers, connection::isSilenced, connection::close)
			.start("proxy-" + port() + "-answers");
		if (this.cut) {
			// Otherwise a connection that was opened just before the cut would outlive
			// it.
			connection.close();
		}
	}

	private final class Connection {

		private final Socket client;

		private final Socket server;

		// Written by tests, read by the pipes.
		private volatile boolean silenced;

		Connection(Socket client, Socket server) {
			this.client = client;
			this.server = server;
		}

		void silence() {
			this.silenced = true;
		}

		boolean isSilenced() {
			return this.silenced;
		}

		void close() {
			TcpProxy.this.connections.remove(this);
			closeQuietly(this.client);
			closeQuietly(this.server);
		}

		private void closeQuietly(Socket socket) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// It had to end anyway.
			}
		}

	}

}
