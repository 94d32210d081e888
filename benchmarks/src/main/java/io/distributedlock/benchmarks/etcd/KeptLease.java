package io.distributedlock.benchmarks.etcd;

import io.etcd.jetcd.Lease;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.grpc.stub.StreamObserver;

/**
 * A lease of etcd that is kept alive by jetcd.
 */
final class KeptLease {

	private static final long TTL_SECONDS = 30;

	private KeptLease() {
	}

	/**
	 * Open a lease.
	 * @param leases grants it, and keeps it alive until it is closed
	 * @return the id of the lease
	 */
	static long open(Lease leases) {
		long id = leases.grant(TTL_SECONDS).join().getID();
		leases.keepAlive(id, new Unobserved());
		return id;
	}

	private static final class Unobserved implements StreamObserver<LeaseKeepAliveResponse> {

		@Override
		public void onNext(LeaseKeepAliveResponse value) {
			// The locks do not depend on when it was kept alive.
		}

		@Override
		public void onError(Throwable ex) {
			// The next request for a lock fails.
		}

		@Override
		public void onCompleted() {
			// The client was closed.
		}

	}

}
