package io.distributedlock.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/**
 * A look at the ports of this machine.
 */
final class LoopbackPort {

	private LoopbackPort() {
	}

	/**
	 * Return whether somebody listens.
	 */
	static boolean isOpen(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
