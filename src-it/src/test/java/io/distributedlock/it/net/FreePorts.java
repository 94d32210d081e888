package io.distributedlock.it.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Ports of 127.0.0.1 for servers that are killed and started again. They stay free
 * meanwhile, because they are below the ports that Linux assigns to outgoing connections,
 * each is returned once, and each JVM has a block of its own.
 */
public final class FreePorts {

	// The bus of a Redis Cluster has a port of its own, higher by 10,000; such ports are
	// free up to 29,999.
	private static final int FIRST = 10_000;

	private static final int END = 20_000;

	private static final int BLOCK = 500;

	private FreePorts() {
	}

	/**
	 * Return a port on which no server listens. It is not returned again.
	 * @return the port
	 */
	public static int next() {
		return Block.OF_THIS_JVM.next();
	}

	private static ServerSocket listen(int port) throws IOException {
		return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
	}

	private static boolean isFree(int port) {
		try {
			listen(port).close();
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * The ports of one JVM, which listens on the first of them for as long as it lives.
	 */
	private static final class Block {

		static final Block OF_THIS_JVM = claim();

		private final ServerSocket first;

		// Guarded by the monitor.
		private int given;

		private Block(ServerSocket first) {
			this.first = first;
		}

		private static Block claim() {
			for (int port = FIRST; port < END; port += BLOCK) {
				try {
					return new Block(listen(port));
				}
				catch (IOException ex) {
					// Another JVM has this block.
					continue;
				}
			}
			throw new IllegalStateException("All blocks of ports are taken from " + FIRST + " to " + END);
		}

		synchronized int next() {
			for (int tried = 1; tried < BLOCK; tried++) {
				this.given = this.given % (BLOCK - 1) + 1;
				int port = this.first.getLocalPort() + this.given;
				if (isFree(port)) {
					return port;
				}
			}
			throw new IllegalStateException("No port is free after " + this.first.getLocalPort());
		}

	}

}
