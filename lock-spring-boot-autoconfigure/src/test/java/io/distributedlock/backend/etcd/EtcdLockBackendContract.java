package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.options.GetOption;
import org.awaitility.Awaitility;

import io.distributedlock.contract.RealTimeLockBackendContract;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.OwnerId;

/**
 * The contract of all stores, on any etcd, in real time. The clients share connections
 * and have sessions of their own.
 */
public abstract class EtcdLockBackendContract extends RealTimeLockBackendContract {

	private static final Duration SESSION_TTL = Duration.ofSeconds(6);

	// A namespace for each test, so that tests may run side by side on one server.
	private final String namespace = "contract/" + OwnerId.random().value().substring(0, 8) + "/";

	private final AtomicInteger instances = new AtomicInteger();

	// Crowds ask for clients from several threads.
	private final Map<LockBackend, Wire> wires = new ConcurrentHashMap<>();

	/**
	 * Return the connections to etcd.
	 */
	protected abstract Client connections();

	@Override
	protected LockBackend newClient() {
		Wire wire = new Wire("test@host:" + this.instances.incrementAndGet(), new AtomicBoolean());
		EtcdLockSettings settings = new EtcdLockSettings(this.namespace, "lock:", wire.instance(),
				Duration.ofSeconds(10), SESSION_TTL, Duration.ofHours(24));
		LockBackend client = new EtcdLockBackend(null, null, settings, clock(),
				() -> new EtcdLinks(() -> new CutOffLink(JetcdLink.to(connections()), wire.cutOff()::get), false,
						clock(), settings.callTimeout()));
		this.wires.put(client, wire);
		return client;
	}

	/**
	 * End the client's session. Etcd ends it if the client is cut off, otherwise the test
	 * does so at once.
	 */
	@Override
	protected void letExpire(LockBackend holder, Duration ttl) {
		Wire wire = this.wires.get(holder);
		if (wire.cutOff().get()) {
			Awaitility.await("the end of the session")
				.atMost(Duration.ofSeconds(30))
				.until(() -> sessions(wire.instance()).isEmpty());
		}
		else {
			sessions(wire.instance()).forEach((session) -> await(connections().getLeaseClient().revoke(session)));
		}
	}

	private List<Long> sessions(String instance) {
		ByteSequence prefix = ByteSequence.from(this.namespace + "/s/", StandardCharsets.UTF_8);
		return await(connections().getKVClient().get(prefix, GetOption.builder().isPrefix(true).build())).getKvs()
			.stream()
			.filter((entry) -> EtcdEntryValue.parse(entry.getValue()).orElseThrow().instance().equals(instance))
			.map(KeyValue::getLease)
			.toList();
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		this.wires.get(client).cutOff().set(true);
	}

	@Override
	protected void restore(LockBackend client) {
		this.wires.get(client).cutOff().set(false);
	}

	private static <T> T await(CompletableFuture<T> answer) {
		return answer.orTimeout(20, TimeUnit.SECONDS).join();
	}

	/**
	 * The link between a client and the connections.
	 */
	private record Wire(String instance, AtomicBoolean cutOff) {
	}

}
