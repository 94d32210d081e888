package io.distributedlock.backend.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import io.distributedlock.LockKeys;
import io.distributedlock.spi.LeaseGrant;

/**
 * One key of an exclusive lease, of which a lease has one or several.
 *
 * @param lease the place of the lease in its list
 * @param key the key
 * @param owner the owner id
 * @param token the last token of the range
 * @param millis what to do with it: its new TTL, or when it becomes free, in ms from now
 */
record LeasePart(int lease, String key, String owner, long token, long millis) {

	/**
	 * Return the parts of leases.
	 * @param <T> the type of the operations
	 * @param operations the operations on leases
	 * @param grant the lease of an operation
	 * @param millis the time of an operation
	 * @return the parts, in the order of the leases
	 */
	static <T> List<LeasePart> of(List<T> operations, Function<T, LeaseGrant> grant, ToLongFunction<T> millis) {
		List<LeasePart> parts = new ArrayList<>(operations.size());
		for (int i = 0; i < operations.size(); i++) {
			LeaseGrant lease = grant.apply(operations.get(i));
			List<String> keys = lease.target().keys();
			for (int j = 0; j < keys.size(); j++) {
				parts.add(new LeasePart(i, keys.get(j), lease.ownerId().value(), lease.tokens().get(j).last(),
						millis.applyAsLong(operations.get(i))));
			}
		}
		return parts;
	}

	@Override
	public String toString() {
		return "LeasePart[key=" + LockKeys.printable(this.key) + ", token=" + this.token + "]";
	}

}
