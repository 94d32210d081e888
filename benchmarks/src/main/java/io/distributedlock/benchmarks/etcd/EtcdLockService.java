package io.distributedlock.benchmarks.etcd;

import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.Lock;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * The lock service of etcd itself, by jetcd. Acquisitions with one lease share the lock,
 * so each acquisition has a lease to itself, which is used again after the release.
 */
final class EtcdLockService implements Side {

	private static final long WAIT_SECONDS = 10;

	private final Client client;

	private final Lock locks;

	private final Lease leases;

	private final Queue<Long> unused = new ConcurrentLinkedQueue<>();

	EtcdLockService(Address address) {
		this.client = Client.builder().endpoints(EtcdStore.url(address)).build();
		this.locks = this.client.getLockClient();
		this.leases = this.client.getLeaseClient();
	}

	@Override
	public Held acquire(String key) throws Exception {
		Long idle = this.unused.poll();
		long lease = (idle != null) ? idle : KeptLease.open(this.leases);
		ByteSequence place = this.locks.lock(ByteSequence.from("service/" + key, StandardCharsets.UTF_8), lease)
			.get(WAIT_SECONDS, TimeUnit.SECONDS)
			.getKey();
		return () -> {
			this.locks.unlock(place).get();
			this.unused.add(lease);
		};
	}

	@Override
	public void close() {
		this.client.close();
	}

}
