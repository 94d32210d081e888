package io.distributedlock.it.toy;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A TCP connection that carries messages, one a line.
 */
final class ToySocket implements Closeable {

	private final Socket socket;

	private final BufferedReader reader;

	private final OutputStream output;

	ToySocket(Socket socket) throws IOException {
		this.socket = socket;
		socket.setTcpNoDelay(true);
		this.reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
		this.output = socket.getOutputStream();
	}

	static ToySocket connect(InetSocketAddress address, Duration timeout) throws IOException {
		Socket socket = new Socket();
		socket.connect(address, Math.toIntExact(timeout.toMillis()));
		return new ToySocket(socket);
	}

	/**
	 * Wait for the next message. Called by one thread.
	 * @return the message, or {@code null} at the end of the connection
	 */
	@Nullable ToyMessage read() throws IOException {
		String line = this.reader.readLine();
		return (line != null) ? ToyMessage.parse(line) : null;
	}

	synchronized void write(ToyMessage message) throws IOException {
		this.output.write((message.line() + "\n").getBytes(StandardCharsets.US_ASCII));
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			// The connection is no longer used.
		}
	}

}
