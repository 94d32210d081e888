package io.distributedlock.it.net;

import java.io.IOException;
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
	void portsAreGivenOnceAlthoughNobodyListensYet() {
		List<Integer> ports = Stream.generate(FreePorts::next).limit(50).toList();

		assertThat(ports).doesNotHaveDuplicates();
	}

	@Test
	void portOnWhichSomebodyListensIsLeftOut() throws IOException {
		int next = FreePorts.next() + 1;

		try (ServerSocket taken = new ServerSocket(next, 1, InetAddress.getLoopbackAddress())) {
			assertThat(FreePorts.next()).isNotEqualTo(taken.getLocalPort());
		}
	}

	@Test
	void portsAreNotThoseOfOutgoingConnections() throws IOException {
		Path range = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
		assumeThat(range).as("what Linux tells").exists();
		int first = Integer.parseInt(Files.readString(range).split("\\s+")[0]);
		// Some machines are set up to use them all.
		assumeThat(first).isGreaterThanOrEqualTo(30_000);

		// With that of the bus of a Cluster.
		assertThat(FreePorts.next() + 10_000).isLessThan(first);
	}

}
