package io.distributedlock.backend.etcd;

import java.util.List;

import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;

/**
 * One atomic step: some operations where all conditions hold, others where not.
 *
 * @param conditions the conditions
 * @param then what is done where they hold
 * @param otherwise what is done where they do not
 */
record EtcdTxn(List<Cmp> conditions, List<Op> then, List<Op> otherwise) {

	/**
	 * How many operations to put into one. Etcd takes no more than 128, unless it is
	 * configured otherwise.
	 */
	static final int BATCH = 100;

	/**
	 * Create a transaction that looks or acts without condition.
	 */
	static EtcdTxn of(List<Op> operations) {
		return new EtcdTxn(List.of(), operations, List.of());
	}

}
