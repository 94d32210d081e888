package io.distributedlock.backend.redlock;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;

/**
 * A route to a node that can lose or delay requests and answers, and that can be cut.
 * Requests have the names of the session's methods.
 */
final class TroubledWay implements RedlockNode {

	private final RedlockNode way;

	private final Set<String> lost = ConcurrentHashMap.newKeySet();

	private final Set<String> requestsKept = ConcurrentHashMap.newKeySet();

	private final Set<String> answersKept = ConcurrentHashMap.newKeySet();

	private final List<Runnable> late = new ArrayList<>();

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
	 * Stop losing requests.
	 */
	void clear() {
		this.lost.clear();
	}

	/**
	 * Hold back answers from now on. Requests are still executed at once.
	 */
	void keepAnswers(String... requests) {
		this.answersKept.addAll(List.of(requests));
	}

	/**
	 * Hold back requests from now on.
	 */
	void keepRequests(String... requests) {
		this.requestsKept.addAll(List.of(requests));
	}

	/**
	 * Stop holding back messages. Those held back so far stay so.
	 */
	void pass() {
		this.requestsKept.clear();
		this.answersKept.clear();
	}

	/**
	 * Deliver the messages that were held back, in order.
	 */
	void deliver() {
		this.requestsKept.clear();
		this.answersKept.clear();
		List<Runnable> all = List.copyOf(this.late);
		this.late.clear();
		all.forEach(Runnable::run);
	}

	/**
	 * End the connections. The next ones lose no messages.
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
					if (this.requestsKept.contains(method.getName())) {
						CompletableFuture<Object> kept = new CompletableFuture<>();
						this.late.add(() -> pass((CompletionStage<?>) ask(session, method, arguments), kept));
						return kept;
					}
					Object answer = ask(session, method, arguments);
					return this.answersKept.contains(method.getName()) ? keep((CompletionStage<?>) answer) : answer;
				});
	}

	private static Object ask(NodeSession session, Method method, Object[] arguments) {
		try {
			return method.invoke(session, arguments);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private CompletionStage<Object> keep(CompletionStage<?> answer) {
		CompletableFuture<Object> kept = new CompletableFuture<>();
		answer.whenComplete((said, fault) -> this.late.add(() -> pass(answer, kept)));
		return kept;
	}

	private static void pass(CompletionStage<?> answer, CompletableFuture<Object> kept) {
		answer.whenComplete((said, fault) -> {
			if (fault != null) {
				kept.completeExceptionally(fault);
			}
			else {
				kept.complete(said);
			}
		});
	}

	@Override
	public CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		return this.way.subscribe(listener);
	}

	@Override
	public void close() {
		this.way.close();
	}

}
