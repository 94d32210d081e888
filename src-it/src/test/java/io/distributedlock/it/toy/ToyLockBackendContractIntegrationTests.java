package io.distributedlock.it.toy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.AfterEach;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.contract.RealTimeLockBackendContract;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.OwnerId;

/**
 * The contract of all stores, for one that was written from the documents alone. Each
 * client reaches the server through a proxy of its own.
 */
class ToyLockBackendContractIntegrationTests extends RealTimeLockBackendContract {

	private static final ToyServer SERVER = ToyServer.start();

	private final KeyPrefix prefix = new KeyPrefix(OwnerId.random().value() + ":");

	// Crowds ask for clients from several threads.
	private final Map<LockBackend, TcpProxy> proxies = new ConcurrentHashMap<>();

	@Override
	protected LockBackend newClient() {
		TcpProxy proxy = TcpProxy.to(SERVER.port());
		InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
		LockBackend client = new ToyLockBackend(address, this.prefix, "test@host:1", Duration.ofSeconds(5), clock());
		this.proxies.put(client, proxy);
		return client;
	}

	@Override
	protected boolean canCutOff() {
		return true;
	}

	@Override
	protected void cutOff(LockBackend client) {
		this.proxies.get(client).cut();
	}

	@Override
	protected boolean canLoseAnswers() {
		return true;
	}

	@Override
	protected void loseAnswers(LockBackend client) {
		this.proxies.get(client).answers().drop();
	}

	@Override
	protected void restore(LockBackend client) {
		this.proxies.get(client).restore();
	}

	@AfterEach
	void closeProxies() {
		this.proxies.values().forEach(TcpProxy::close);
	}

}
