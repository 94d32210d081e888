package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.distributedlock.backend.etcd.EtcdSweepContract;
import io.distributedlock.it.FurtherTopology;

/**
 * Tests that unused entries are removed through a client that adds a namespace of its own
 * to all names.
 */
@RequiresEtcd
@FurtherTopology
class NamespacedEtcdSweepIntegrationTests extends EtcdSweepContract {

	private static Client client;

	@BeforeAll
	static void connect() {
		client = Client.builder()
			.endpoints(EtcdServer.url())
			.namespace(ByteSequence.from("shop/", StandardCharsets.UTF_8))
			.build();
	}

	@AfterAll
	static void disconnect() {
		client.close();
	}

	@Override
	protected Client connections() {
		return client;
	}

}
