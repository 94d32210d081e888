package io.distributedlock.backend.etcd;

import java.util.List;

import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.Op;

import io.distributedlock.backend.call.ManyAnswers;

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
	 * The number of operations in each part of a long list. Etcd counts those of the
	 * parts together with either the parts or the conditions, whichever are more.
	 */
	private static final int PART = 25;

	/**
	 * Create a transaction without conditions.
	 */
	static EtcdTxn of(List<Op> operations) {
		return of(List.of(), operations, List.of());
	}

	/**
	 * Create a transaction with up to {@value #BATCH} conditions, and any number of
	 * operations that are not answered or only {@linkplain #shown show} something. If
	 * there are many, they are sent as transactions within the transaction.
	 */
	static EtcdTxn of(List<Cmp> conditions, List<Op> then, List<Op> otherwise) {
		return new EtcdTxn(conditions, inParts(then), inParts(otherwise));
	}

	private static List<Op> inParts(List<Op> operations) {
		return (operations.size() <= BATCH) ? operations
				: ManyAnswers.chunks(operations, PART)
					.stream()
					.<Op>map((part) -> Op.txn(new Cmp[0], part.toArray(Op[]::new), new Op[0]))
					.toList();
	}

	/**
	 * Return what the looks of a transaction have shown.
	 */
	static List<GetResponse> shown(TxnResponse answer) {
		List<GetResponse> shown = answer.getGetResponses();
		return !shown.isEmpty() ? shown
				: answer.getTxnResponses().stream().flatMap((part) -> part.getGetResponses().stream()).toList();
	}

}
