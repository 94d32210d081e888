package io.distributedlock.it.redlock;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A route to a node that a test can redirect, silence, delay and record.
 */
final class NodeProxy implements AutoCloseable {

	private final ServerSocket server;

	private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

	private final ByteArrayOutputStream seen = new ByteArrayOutputStream();

	// Both are written by tests and read by the accepting thread.
	private volatile int target;

	private volatile Duration delay = Duration.ZERO;

	private NodeProxy(ServerSocket server, int target) {
		this.server = server;
		this.target = target;
	}

	/**
	 * Open a proxy on a free port of 127.0.0.1.
	 * @param port the port of the node
	 */
	static NodeProxy to(int port) {
		try {
			NodeProxy proxy = new NodeProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), port);
			daemon("node-proxy", proxy::accept);
			return proxy;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.server.getLocalPort();
	}

	/**
	 * Redirect new connections to another port, and cut the present ones.
	 */
	void lead(int port) {
		this.target = port;
		this.connections.forEach(Connection::close);
	}

	/**
	 * Drop all data on the present connections, in both directions, without closing them.
	 * New connections work.
	 */
	void silence() {
		this.connections.forEach((connection) -> connection.silent = true);
	}

	/**
	 * Delay the first data on new connections.
	 */
	void delayConnections(Duration time) {
		this.delay = time;
	}

	/**
	 * Return all data that has passed in both directions, as text.
	 */
	String seen() {
		synchronized (this.seen) {
			return this.seen.toString(StandardCharsets.ISO_8859_1);
		}
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.connections.forEach(Connection::close);
	}

	private static void daemon(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	private void accept() {
		while (!this.server.isClosed()) {
			try {
				Connection connection = new Connection(this.server.accept());
				this.connections.add(connection);
				daemon("node-proxy-connection", connection::open);
			}
			catch (IOException ex) {
				// The proxy is closed.
			}
		}
	}

	private final class Connection {

		private final Socket client;

		private final CountDownLatch over = new CountDownLatch(1);

		private volatile Socket node;

		private volatile boolean silent;

		Connection(Socket client) {
			this.client = client;
		}

		void open() {
			try {
				if (this.over.await(NodeProxy.this.delay.toNanos(), TimeUnit.NANOSECONDS)) {
					return;
				}
				Socket opened = new Socket(InetAddress.getLoopbackAddress(), NodeProxy.this.target);
				this.node = opened;
				this.client.setTcpNoDelay(true);
				opened.setTcpNoDelay(true);
				daemon("node-proxy-answers", () -> pipe(opened, this.client));
				pipe(this.client, opened);
			}
			catch (IOException | InterruptedException ex) {
				close();
			}
		}

		private void pipe(Socket from, Socket to) {
			byte[] buffer = new byte[16 * 1024];
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
					synchronized (NodeProxy.this.seen) {
						NodeProxy.this.seen.write(buffer, 0, count);
					}
					if (!this.silent) {
						out.write(buffer, 0, count);
					}
				}
			}
			catch (IOException ex) {
				// The connection has ended.
			}
			close();
		}

		void close() {
			this.over.countDown();
			NodeProxy.this.connections.remove(this);
			closeQuietly(this.client);
			Socket opened = this.node;
			if (opened != null) {
				closeQuietly(opened);
			}
		}

		private static void closeQuietly(Socket socket) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// The connection was to end anyway.
			}
		}

	}

}
