package io.distributedlock.backend.redlock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A way to a node on which requests of some kinds get lost, and which can be cut.
 */
final class TroubledWay implements RedlockNode {

	private final RedlockNode way;

	private final Set<String> lost = ConcurrentHashMap.newKeySet();

	private final List<NodeSession> sessions = new CopyOnWriteArrayList<>();

	TroubledWay(RedlockNode way) {
		this.way = way;
	}

	/**
	 * Lose requests, as the session's methods name them, from now on: they are never
	 * executed nor answered.
	 */
	void lose(String... requests) {
		this.lost.addAll(List.of(requests));
	}

	/**
	 * End the connections; the next ones lose nothing.
	 */
	void cut() {
		this.lost.clear();
		List<NodeSession> all = List.copyOf(this.sessions);
		this.sessions.clear();
		all.forEach(NodeSession::close);
	}

	@Override
	public String name() {
		return this.way.name();
	}

	@Override
	public CompletionStage<NodeSession> connect() {
		return this.way.connect().thenApply(this::watched);
	}

	private NodeSession watched(NodeSession session) {
		this.sessions.add(session);
		return (NodeSession) Proxy.newProxyInstance(NodeSession.class.getClassLoader(),
				new Class<?>[] { NodeSession.class }, (proxy, method, arguments) -> {
					if (this.lost.contains(method.getName())) {
						return new CompletableFuture<>();
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
	public CompletionStage<Subscription> subscribe(Consumer<String> released, Runnable ended) {
		return this.way.subscribe(released, ended);
	}

	@Override
	public void close() {
		this.way.close();
	}

}
