package io.distributedlock.recipes;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts of several instances that are merged in any order, and need no lock.
 */
class MergedCountsTests {

	private static final List<Likes> COUNTS = List.of(new Likes(Map.of("a", 1L)), new Likes(Map.of("a", 4L, "b", 2L)),
			new Likes(Map.of("b", 3L)), new Likes(Map.of("c", 5L, "a", 2L)));

	@Test
	void totalIsTheSameInWhateverOrderAndHoweverOftenCountsAreMerged() {
		long seed = new Random().nextLong();
		Random random = new Random(seed);
		for (int i = 0; i < 100; i++) {
			List<Likes> messages = new ArrayList<>(COUNTS);
			messages.addAll(COUNTS.subList(0, random.nextInt(COUNTS.size())));
			Collections.shuffle(messages, random);

			Likes merged = messages.stream().reduce(new Likes(Map.of()), Likes::merge);

			assertThat(merged.total()).as("seed %d", seed).isEqualTo(4 + 3 + 5);
		}
	}

	@Test
	void mergingIsAssociative() {
		Likes left = COUNTS.get(0).merge(COUNTS.get(1)).merge(COUNTS.get(2));
		Likes right = COUNTS.get(0).merge(COUNTS.get(1).merge(COUNTS.get(2)));

		assertThat(left).isEqualTo(right);
	}

	// tag::crdt[]
	record Likes(Map<String, Long> byInstance) {

		Likes merge(Likes other) {
			Map<String, Long> merged = new HashMap<>(this.byInstance);
			other.byInstance.forEach((instance, count) -> merged.merge(instance, count, Math::max));
			return new Likes(merged);
		}

		long total() {
			return this.byInstance.values().stream().mapToLong(Long::longValue).sum();
		}

	}
	// end::crdt[]

}
