package io.distributedlock.backend.redlock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;

/**
 * A route to a node that can be cut. Requests that are sent then do not arrive.
 *
 * @param delegate the node
 * @param cutOff whether the route is cut
 */
record CutOffNode(RedlockNode delegate, BooleanSupplier cutOff) implements RedlockNode {

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public CompletionStage<NodeSession> connect() {
		return this.cutOff.getAsBoolean() ? failed() : this.delegate.connect().thenApply(this::cutable);
	}

	private NodeSession cutable(NodeSession session) {
		return (NodeSession) Proxy.newProxyInstance(NodeSession.class.getClassLoader(),
				new Class<?>[] { NodeSession.class }, (proxy, method, arguments) -> {
					if (this.cutOff.getAsBoolean() && method.getReturnType() == CompletionStage.class) {
						return failed();
					}
					try {
						return method.invoke(session, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Override
	public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		return this.cutOff.getAsBoolean() ? failed() : this.delegate.subscribe(listener);
	}

	private static <T> CompletionStage<T> failed() {
		return CompletableFuture.failedFuture(new ConnectException("The client is cut off"));
	}

	@Override
	public void close() {
		this.delegate.close();
	}

}
