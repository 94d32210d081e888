package io.distributedlock.it.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LockBackend;

/**
 * Sends each release to the store a second time, when others may have the lock.
 */
final class RepeatedRelease {

	private static final long DELAY_MILLIS = 30;

	private RepeatedRelease() {
	}

	static LockBackend of(LockBackend backend) {
		return Intercepted.by(LockBackend.class, (method, arguments) -> {
			Object result = Intercepted.call(backend, method, arguments);
			return (result instanceof BackendConnection connection) ? of(connection) : result;
		});
	}

	private static BackendConnection of(BackendConnection connection) {
		return Intercepted.by(BackendConnection.class, (method, arguments) -> {
			Object result = Intercepted.call(connection, method, arguments);
			if (method.getName().equals("release") && result instanceof CompletionStage<?> release) {
				release.thenRunAsync(() -> {
					try {
						Intercepted.call(connection, method, arguments);
					}
					catch (Throwable ex) {
						throw new IllegalStateException(ex);
					}
				}, CompletableFuture.delayedExecutor(DELAY_MILLIS, TimeUnit.MILLISECONDS));
			}
			return result;
		});
	}

}
