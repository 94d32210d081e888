package io.distributedlock.benchmarks.etcd;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * Two transactions by one client of jetcd: one puts a key there if it is absent, one
 * deletes it if it is the same. The revision is the token, and all keys are on one lease.
 */
final class BareEtcd implements Side {

	private final Client client;

	private final KV keys;

	private final PutOption onLease;

	BareEtcd(Address address) {
		this.client = Client.builder().endpoints(EtcdStore.url(address)).build();
		this.keys = this.client.getKVClient();
		this.onLease = PutOption.builder().withLeaseId(KeptLease.open(this.client.getLeaseClient())).build();
	}

	@Override
	public Held acquire(String key) throws Exception {
		ByteSequence name = bytes("bare/" + key);
		ByteSequence owner = bytes(UUID.randomUUID().toString());
		TxnResponse put;
		do {
			put = this.keys.txn().If(createdAt(name, 0)).Then(Op.put(name, owner, this.onLease)).commit().get();
		}
		while (!put.isSucceeded());
		long revision = put.getHeader().getRevision();
		return () -> this.keys.txn()
			.If(createdAt(name, revision))
			.Then(Op.delete(name, DeleteOption.DEFAULT))
			.commit()
			.get();
	}

	private static Cmp createdAt(ByteSequence name, long revision) {
		return new Cmp(name, Cmp.Op.EQUAL, CmpTarget.createRevision(revision));
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.client.close();
	}

}
