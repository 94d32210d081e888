package io.distributedlock.it.toy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The server of the toy store, which is reached at its {@link ToyPort ports}. It answers
 * requests, and notifies subscribers of released locks.
 */
final class ToyServer {

	private final ToyTable table = new ToyTable();

	// The prefix of the names for which each client receives releases.
	private final Map<Consumer<ToyMessage>, String> subscribers = new ConcurrentHashMap<>();

	/**
	 * Carry out a request.
	 * @param request the request
	 * @param client receives releases if it subscribes to them
	 * @return the answer
	 */
	ToyMessage answer(ToyMessage request, Consumer<ToyMessage> client) {
		return ToyMessage.of(request.number(), carryOut(request, client));
	}

	private List<?> carryOut(ToyMessage request, Consumer<ToyMessage> client) {
		String name = request.text(1);
		return switch (request.text(0)) {
			case "GRANT" -> this.table.grant(name, request.text(2), request.text(3), request.integer(4),
					Math.toIntExact(request.integer(5)),
					request.text(6).isEmpty() ? null : Instant.parse(request.text(6)));
			case "RENEW" -> List.of(this.table.renew(name, request.text(2), request.integer(3), request.integer(4)));
			case "RELEASE" ->
				published(name, this.table.release(name, request.text(2), request.integer(3), request.integer(4)));
			case "ABANDON" -> published(name, this.table.abandon(name, request.text(2)));
			case "FORCE" -> published(name, this.table.forceRelease(name, request.integer(2)));
			case "FIND" -> this.table.describe(name::equals);
			case "LIST" -> this.table.describe((other) -> other.startsWith(name));
			case "SUBSCRIBE" -> {
				this.subscribers.put(client, name);
				yield List.of();
			}
			default -> throw new IllegalArgumentException("Unknown request " + request);
		};
	}

	private List<?> published(String name, boolean released) {
		if (released) {
			ToyMessage news = ToyMessage.of(ToyMessage.RELEASE, List.of(name));
			this.subscribers.forEach((subscriber, prefix) -> {
				if (name.startsWith(prefix)) {
					subscriber.accept(news);
				}
			});
		}
		return List.of(released);
	}

	void unsubscribe(Consumer<ToyMessage> client) {
		this.subscribers.remove(client);
	}

}
