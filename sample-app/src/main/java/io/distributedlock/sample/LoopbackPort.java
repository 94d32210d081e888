package io.distributedlock.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/**
 * Checks ports of this machine.
 */
final class LoopbackPort {

	private LoopbackPort() {
	}

	/**
	 * Return whether a program listens on the port.
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
