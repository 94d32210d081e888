package io.distributedlock.it.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;

/**
 * One direction of one connection. One thread reads, so that the sender is not slowed
 * down, and another one writes in time.
 */
final class Pipe {

	private static final byte[] END = new byte[0];

	private final Socket from;

	private final Socket to;

	private final Flow flow;

	private final BooleanSupplier silenced;

	private final Runnable broken;

	private final BlockingQueue<Chunk> chunks = new LinkedBlockingQueue<>();

	Pipe(Socket from, Socket to, Flow flow, BooleanSupplier silenced, Runnable broken) {
		this.from = from;
		this.to = to;
		this.flow = flow;
		this.silenced = silenced;
		this.broken = broken;
	}

	/**
	 * Start the threads. They end with the connection.
	 * @param name their name
	 */
	void start(String name) {
		daemon(name + "-in", this::read);
		daemon(name + "-out", this::write);
	}

	private static void daemon(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	private void read() {
		byte[] buffer = new byte[16 * 1024];
		try {
			InputStream in = this.from.getInputStream();
			for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
				this.flow.count(buffer, count);
				this.chunks.add(new Chunk(Arrays.copyOf(buffer, count), System.nanoTime()));
			}
		}
		catch (IOException ex) {
			// The connection has ended, which the writer passes on.
		}
		this.chunks.add(new Chunk(END, System.nanoTime()));
	}

	private void write() {
		try {
			OutputStream out = this.to.getOutputStream();
			Chunk chunk = this.chunks.take();
			while (chunk.bytes() != END && this.flow.await(chunk.cameAt())) {
				if (!this.silenced.getAsBoolean()) {
					out.write(chunk.bytes());
				}
				chunk = this.chunks.take();
			}
			// An end also arrives no earlier than the flow allows.
			this.flow.awaitPassing();
		}
		catch (IOException | InterruptedException ex) {
			// This direction has ended as well.
		}
		this.broken.run();
	}

	/**
	 * Bytes under way.
	 *
	 * @param bytes the bytes
	 * @param cameAt when they came in
	 */
	private record Chunk(byte[] bytes, long cameAt) {
	}

}
