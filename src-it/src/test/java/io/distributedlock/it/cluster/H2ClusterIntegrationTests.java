package io.distributedlock.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

import org.h2.tools.Server;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

@FurtherTopology
class H2ClusterIntegrationTests extends ClusterContract {

	@Override
	ClusterStore store() throws Exception {
		return store(this.processes, this.folder);
	}

	/**
	 * Start H2's server.
	 */
	static ClusterStore store(JavaProcesses processes, Path folder) throws Exception {
		Path files = Files.createDirectory(folder.resolve("h2"));
		JavaCommand command = JavaCommand.of(Server.class).systemProperty("h2.bindAddress", "127.0.0.1");
		for (String argument : new String[] { "-tcp", "-tcpPort", "0", "-ifNotExists", "-baseDir", files.toString() }) {
			command = command.argument(argument);
		}
		JavaProcess server = processes.start("h2-server", command);
		String port = server.awaitLine("TCP server running at tcp://[^:]+:(\\d+)").group(1);
		return ClusterStore.jdbc("jdbc:h2:tcp://127.0.0.1:" + port + "/./locks", "sa");
	}

}
