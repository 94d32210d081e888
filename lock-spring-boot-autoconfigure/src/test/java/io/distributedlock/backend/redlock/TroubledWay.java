package io.distributedlock.backend.redlock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A way to a node on which requests and answers can be lost or late, and which can be
 * cut. Requests are named as the methods of the session.
 */
final class TroubledWay implements RedlockNode {

	private final RedlockNode way;

	private final Set<String> lost = ConcurrentHashMap.newKeySet();

	private final Set<String> late = ConcurrentHashMap.newKeySet();

	private final List<Runnable> lateAnswers = new ArrayList<>();

	private final List<NodeSession> sessions = new CopyOnWriteArrayList<>();

	TroubledWay(RedlockNode way) {
		this.way = way;
	}

	/**
	 * Lose requests from now on: they are never executed nor answered.
	 */
	void lose(String... requests) {
		this.lost.addAll(List.of(requests));
	}

	/**
	 * Lose nothing more.
	 */
	void clear() {
		this.lost.clear();
	}

	/**
	 * Keep the answers back from now on: requests are executed at once.
	 */
	void keepAnswers(String... requests) {
		this.late.addAll(List.of(requests));
	}

	/**
	 * Let the answers arrive that were kept back, in their order.
	 */
	void deliver() {
		this.late.clear();
		List<Runnable> all = List.copyOf(this.lateAnswers);
		this.lateAnswers.clear();
		all.forEach(Runnable::run);
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
						Object answer = method.invoke(session, arguments);
						return this.late.contains(method.getName()) ? keep((CompletionStage<?>) answer) : answer;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private <T> CompletionStage<T> keep(CompletionStage<T> answer) {
		CompletableFuture<T> kept = new CompletableFuture<>();
		answer.whenComplete((said, fault) -> this.lateAnswers.add(() -> {
			if (fault != null) {
				kept.completeExceptionally(fault);
			}
			else {
				kept.complete(said);
			}
		}));
		return kept;
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
