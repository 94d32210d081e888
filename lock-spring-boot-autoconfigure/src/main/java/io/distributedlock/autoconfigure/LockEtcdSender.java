package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

import io.grpc.Context;

/**
 * Sends the requests of a client of etcd on the threads that make them. The client would
 * otherwise hand each request to a thread of its own before it sends it, although sending
 * does not block.
 * <p>
 * The requests do not take over the gRPC context of that thread. Otherwise a call that a
 * gRPC server serves would cancel them when it ends.
 */
final class LockEtcdSender extends AbstractExecutorService {

	@Override
	public void execute(Runnable request) {
		Context former = Context.ROOT.attach();
		try {
			request.run();
		}
		finally {
			Context.ROOT.detach(former);
		}
	}

	@Override
	public void shutdown() {
		// There are no threads to end.
	}

	@Override
	public List<Runnable> shutdownNow() {
		return List.of();
	}

	@Override
	public boolean isShutdown() {
		return false;
	}

	@Override
	public boolean isTerminated() {
		return false;
	}

	@Override
	public boolean awaitTermination(long timeout, TimeUnit unit) {
		return false;
	}

}
