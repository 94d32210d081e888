package io.distributedlock.it.toy;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.contract.RealTimeLockBackendContract;
import io.distributedlock.spi.LockBackend;

/**
 * The contract on the toy store. Each client has a port that can lose requests and
 * answers.
 */
class ToyLockBackendContractIntegrationTests extends RealTimeLockBackendContract {

	private static final ToyServer server = new ToyServer();

	private final Map<LockBackend, ToyPort> ports = new ConcurrentHashMap<>();

	// A method of this class would run before those of the contract that close clients.
	@RegisterExtension
	final AfterEachCallback closePorts = (test) -> {
		for (ToyPort port : this.ports.values()) {
			port.close();
		}
	};

	@Override
	protected LockBackend newClient() {
		ToyPort port = new ToyPort(server);
		LockBackend client = new ToyLockBackend(
				new ToySettings(port.address(), new KeyPrefix("lock:"), "contract", Duration.ofSeconds(5), clock()));
		this.ports.put(client, port);
		return client;
	}

	private ToyPort port(LockBackend client) {
		return Objects.requireNonNull(this.ports.get(client));
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		port(client).lose(true, false);
	}

	@Override
	protected boolean canLoseAnswers() {
		return true;
	}

	@Override
	protected void loseAnswers(LockBackend client) {
		port(client).lose(false, true);
	}

	@Override
	protected void restore(LockBackend client) {
		port(client).lose(false, false);
	}

}
