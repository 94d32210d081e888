package io.distributedlock.it.net;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Stands before a server on this machine and keeps all bytes that clients send to it, so
 * that a test can look for what must not be readable.
 */
public final class WireRecorder implements AutoCloseable {

	private final int target;

	private final ServerSocket server;

	// Guarded by the monitor.
	private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

	private WireRecorder(int target, ServerSocket server) {
		this.target = target;
		this.server = server;
	}

	/**
	 * Open a recorder on a free port of 127.0.0.1.
	 * @param port the port of the server on 127.0.0.1
	 * @return the recorder
	 */
	public static WireRecorder before(int port) {
		try {
			WireRecorder recorder = new WireRecorder(port, new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
			daemon(recorder::accept);
			return recorder;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the port to connect to.
	 * @return the port on 127.0.0.1
	 */
	public int port() {
		return this.server.getLocalPort();
	}

	/**
	 * Return what clients have sent so far.
	 * @return a character for each byte
	 */
	public synchronized String sent() {
		return this.sent.toString(StandardCharsets.ISO_8859_1);
	}

	@Override
	public void close() {
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
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
				daemon(() -> copy(client, server, true));
				daemon(() -> copy(server, client, false));
			}
			catch (IOException ex) {
				// This client is gone, or the recorder is closed.
			}
		}
	}

	private void copy(Socket from, Socket to, boolean keep) {
		byte[] buffer = new byte[16 * 1024];
		try (from; to) {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
				if (keep) {
					keep(buffer, count);
				}
				out.write(buffer, 0, count);
			}
		}
		catch (IOException ex) {
			// One side has ended the connection.
		}
	}

	private synchronized void keep(byte[] buffer, int count) {
		this.sent.write(buffer, 0, count);
	}

	private static void daemon(Runnable task) {
		Thread thread = new Thread(task, "wire-recorder");
		thread.setDaemon(true);
		thread.start();
	}

}
