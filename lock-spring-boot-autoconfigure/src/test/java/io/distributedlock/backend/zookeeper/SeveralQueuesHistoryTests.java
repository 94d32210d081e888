package io.distributedlock.backend.zookeeper;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of requests for several keys. They enter the queues of their keys,
 * hold the locks when they are first in all of them, and sometimes lose a place. If no
 * request holds its locks although some wait, they wait in a circle.
 */
class SeveralQueuesHistoryTests {

	private static final int HISTORIES = 1_000;

	private static final int STEPS = 60;

	private static final int KEYS = 4;

	@Test
	void requestsNeverWaitInACircle() {
		for (int seed = 0; seed < HISTORIES; seed++) {
			assertThat(new History(seed, null).endsInACircle()).as("history %d", seed).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource(Broken.class)
	void brokenRuleIsFound(Broken rule) {
		long found = IntStream.range(0, HISTORIES).filter((seed) -> new History(seed, rule).endsInACircle()).count();

		assertThat(found).isPositive();
	}

	/**
	 * Rules in which one thing is wrong.
	 */
	enum Broken {

		/**
		 * The queues are entered by one transaction each, so others come in between.
		 */
		ONE_TRANSACTION_FOR_EACH_KEY,

		/**
		 * A place that was lost is added again without the others.
		 */
		LOST_PLACE_ADDED_ALONE

	}

	/**
	 * One history.
	 */
	private static final class History {

		private final Random random;

		private final @Nullable Broken broken;

		// By key.
		private final List<List<QueueNode>> queues = IntStream.range(0, KEYS)
			.<List<QueueNode>>mapToObj((key) -> new ArrayList<>())
			.toList();

		private final List<Request> requests = new ArrayList<>();

		private int number;

		History(int seed, @Nullable Broken broken) {
			this.random = new Random(seed);
			this.broken = broken;
		}

		boolean endsInACircle() {
			for (int step = 0; step < STEPS; step++) {
				int dice = this.random.nextInt(10);
				if (dice < 4 && this.requests.size() < 6) {
					this.requests.add(new Request(this.random));
				}
				else if (dice < 6 && !this.requests.isEmpty()) {
					lose(this.requests.get(this.random.nextInt(this.requests.size())));
				}
				this.requests.forEach(this::enter);
				// All of them are there, and none enters.
				if (this.requests.stream().allMatch(Request::isComplete)) {
					List<Request> holders = this.requests.stream().filter(this::holds).toList();
					if (holders.isEmpty() && !this.requests.isEmpty()) {
						return true;
					}
					if (dice == 9 && !holders.isEmpty()) {
						leave(holders.get(this.random.nextInt(holders.size())));
					}
				}
			}
			return false;
		}

		private void enter(Request request) {
			List<Integer> missing = request.places.entrySet()
				.stream()
				.filter((place) -> place.getValue() == null)
				.map(Map.Entry::getKey)
				.toList();
			if (this.broken == Broken.ONE_TRANSACTION_FOR_EACH_KEY && !missing.isEmpty()) {
				missing = List.of(missing.get(this.random.nextInt(missing.size())));
			}
			for (int key : missing) {
				QueueNode node = new QueueNode(request.id.value() + "-7-lock-" + this.number, request.id, 7,
						this.number++);
				request.places.put(key, node);
				this.queues.get(key).add(node);
			}
		}

		private void lose(Request request) {
			List<Integer> keys = new ArrayList<>(request.places.keySet());
			Collections.shuffle(keys, this.random);
			int lost = (this.broken == Broken.LOST_PLACE_ADDED_ALONE) ? 1 : keys.size();
			keys.subList(0, lost).forEach((key) -> {
				this.queues.get(key).remove(request.places.get(key));
				request.places.put(key, null);
			});
		}

		private void leave(Request request) {
			request.places.forEach((key, node) -> this.queues.get(key).remove(node));
			this.requests.remove(request);
		}

		private boolean holds(Request request) {
			return request.places.entrySet().stream().allMatch((place) -> {
				List<QueueNode> queue = this.queues.get(place.getKey());
				List<QueueNode> before = queue.subList(0, queue.indexOf(place.getValue()));
				return new QueuePosition(before, PlaceIds.modeOf(request.id), 0).blockers(0) == null;
			});
		}

	}

	/**
	 * A request, and its node in the queue of each of its keys.
	 */
	private static final class Request {

		private final OwnerId id;

		private final Map<Integer, QueueNode> places = new TreeMap<>();

		Request(Random random) {
			this.id = PlaceIds.of(random.nextBoolean() ? LockMode.SHARED : LockMode.EXCLUSIVE, OwnerId.random());
			List<Integer> keys = new ArrayList<>(IntStream.range(0, KEYS).boxed().toList());
			Collections.shuffle(keys, random);
			keys.subList(0, 2 + random.nextInt(2)).forEach((key) -> this.places.put(key, null));
		}

		boolean isComplete() {
			return !this.places.containsValue(null);
		}

	}

}
