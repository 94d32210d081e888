package io.distributedlock.it.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

class FreePortsIntegrationTests {

	@Test
	void portsAreGivenOnceAlthoughNoServerListensYet() {
		List<Integer> ports = Stream.generate(FreePorts::next).limit(50).toList();

		assertThat(ports).doesNotHaveDuplicates();
	}

	@Test
	void portOnWhichAServerListensIsLeftOut() throws IOException {
		try (ServerSocket taken = listenSoonAfter(FreePorts.next())) {
			List<Integer> ports = Stream.generate(FreePorts::next).limit(50).toList();

			assertThat(ports).doesNotContain(taken.getLocalPort());
		}
	}

	/**
	 * Other tests of this JVM may get the next ports at the same moment.
	 */
	private static ServerSocket listenSoonAfter(int given) throws IOException {
		for (int port = given + 10; port < given + 20; port++) {
			try {
				return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
			}
			catch (BindException ex) {
				// A server listens there already.
				continue;
			}
		}
		throw new IllegalStateException("Somebody listens on all ports after " + given);
	}

	@Test
	void portsAreNotThoseOfOutgoingConnections() throws IOException {
		Path range = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
		assumeThat(range).as("what Linux tells").exists();
		int first = Integer.parseInt(Files.readString(range).split("\\s+")[0]);
		// Some machines are configured to use all of them.
		assumeThat(first).isGreaterThanOrEqualTo(30_000);

		// Include the port of the bus of a Cluster.
		assertThat(FreePorts.next() + 10_000).isLessThan(first);
	}

}
