package io.distributedlock.backend.etcd;

import java.util.List;

import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;

/**
 * An atomic step: some operations if all conditions hold, others if not.
 *
 * @param conditions the conditions
 * @param then the operations if they hold
 * @param otherwise the operations if they do not hold
 */
record EtcdTxn(List<Cmp> conditions, List<Op> then, List<Op> otherwise) {

	/**
	 * The number of operations to put into one transaction. Etcd accepts at most 128
	 * unless it is configured otherwise.
	 */
	static final int BATCH = 100;

	/**
	 * Create a transaction without conditions.
	 */
	static EtcdTxn of(List<Op> operations) {
		return new EtcdTxn(List.of(), operations, List.of());
	}

}
