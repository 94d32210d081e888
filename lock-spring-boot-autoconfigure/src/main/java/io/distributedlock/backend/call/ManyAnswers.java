package io.distributedlock.backend.call;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Joins the answers to several requests, and splits lists that are too long for one
 * request. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class ManyAnswers {

	private ManyAnswers() {
	}

	/**
	 * Join the answers to requests. All requests are sent before the first answer is
	 * awaited.
	 * @param <T> the answer to one request
	 * @param requests the requests
	 * @return the answers in the order of the requests, after the last one has arrived;
	 * completed exceptionally at that time if a request has failed
	 */
	public static <T> CompletableFuture<List<T>> join(Stream<? extends CompletionStage<T>> requests) {
		List<CompletableFuture<T>> sent = requests.map(CompletionStage::toCompletableFuture).toList();
		return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
			.thenApply((done) -> sent.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Request one chunk after the other. Each request is sent after the answer to the one
	 * before.
	 * @param <I> the type of the items
	 * @param <T> the type of the answers
	 * @param items the items to ask for
	 * @param size the maximum size of a chunk
	 * @param question sends the request for one chunk
	 * @return the answers to all chunks, in their order
	 */
	public static <I, T> CompletionStage<List<T>> inTurn(List<I> items, int size,
			Function<List<I>, CompletionStage<List<T>>> question) {
		CompletionStage<List<T>> all = CompletableFuture.completedStage(new ArrayList<>());
		for (List<I> chunk : chunks(items, size)) {
			all = all.thenCompose((before) -> question.apply(chunk).thenApply((next) -> {
				before.addAll(next);
				return before;
			}));
		}
		return all;
	}

	/**
	 * Split a list.
	 * @param <I> the type of its items
	 * @param items the list
	 * @param size the maximum size of a part
	 * @return views of its parts
	 */
	public static <I> List<List<I>> chunks(List<I> items, int size) {
		List<List<I>> chunks = new ArrayList<>();
		for (int from = 0; from < items.size(); from += size) {
			chunks.add(items.subList(from, Math.min(from + size, items.size())));
		}
		return chunks;
	}

}
