package io.distributedlock.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.integration.util.UUIDConverter;
import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for the registry inside Spring Integration: aggregators of two applications
 * that share their groups, and leaders.
 */
abstract class RegistryFlowContract extends RegistryLossContract {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Test
	void messagesOfAGroupAreAggregatedOneAtATimeByAllApplications() throws Exception {
		String group = newKey();
		try (Aggregators aggregators = new Aggregators(registry(), there().registry(), 2)) {
			CountDownLatch inside = new CountDownLatch(1);
			CountDownLatch goOn = new CountDownLatch(1);
			aggregators.whenAsked((name) -> {
				inside.countDown();
				await(goOn);
			});
			Future<Boolean> first = elsewhere(() -> aggregators.send(0, group, "a"));
			await(inside);
			AtomicReference<Thread> waiting = new AtomicReference<>();
			Future<Boolean> second = elsewhere(() -> {
				waiting.set(Thread.currentThread());
				return aggregators.send(1, group, "b");
			});
			awaitParked(waiting);

			assertThat(isTaken(UUIDConverter.getUUID(group).toString())).as("whether the group's lock is ours")
				.isTrue();
			goOn.countDown();

			assertThat(get(first)).isTrue();
			assertThat(get(second)).isTrue();
			assertThat(aggregators.mostAtOnce()).isEqualTo(1);
			assertThat((List<?>) aggregators.receive().getPayload()).hasSize(2);
		}
	}

	@Test
	void messagesOfDifferentGroupsAreAggregatedSideBySide() throws Exception {
		try (Aggregators aggregators = new Aggregators(registry(), there().registry(), 1)) {
			CountDownLatch inside = new CountDownLatch(3);
			aggregators.whenAsked((name) -> {
				inside.countDown();
				await(inside);
			});

			List<Future<Boolean>> sent = IntStream.range(0, 3)
				.mapToObj((i) -> elsewhere(() -> aggregators.send(i % 2, newKey(), "a")))
				.toList();

			for (Future<Boolean> future : sent) {
				assertThat(get(future)).isTrue();
			}
			assertThat(aggregators.mostAtOnce()).isEqualTo(3);
		}
	}

	@Test
	void noMessageOfManyGroupsGetsLost() throws Exception {
		try (Aggregators aggregators = new Aggregators(registry(), there().registry(), 4)) {
			List<Future<Boolean>> sent = new ArrayList<>();
			List<String> groups = IntStream.range(0, 5).mapToObj((i) -> newKey()).toList();
			for (String part : List.of("a", "b", "c", "d")) {
				int application = sent.size() % 2;
				groups.forEach((group) -> sent.add(elsewhere(() -> aggregators.send(application, group, part))));
			}
			for (Future<Boolean> future : sent) {
				assertThat(get(future)).isTrue();
			}

			for (int i = 0; i < groups.size(); i++) {
				Message<?> message = aggregators.receive();
				Set<?> parts = ((List<?>) message.getPayload()).stream().collect(Collectors.toSet());
				assertThat(parts).isEqualTo(Set.of("a", "b", "c", "d"));
			}
		}
	}

	@Test
	void leadershipPassesFromOneApplicationToTheOther() {
		String role = newKey();
		try (InitiatorNode one = new InitiatorNode(registry(), role);
				InitiatorNode two = new InitiatorNode(there().registry(), role)) {
			InitiatorNode leader = awaitLeader(one, two);
			InitiatorNode other = (leader == one) ? two : one;
			assertThat(other.leads()).isFalse();

			leader.yieldForLong();
			// Spring Integration notifies its listeners after it has given back the lock.
			awaitNews(leader, "granted", "revoked");
			awaitNews(other, "granted");
			assertThat(other.leads()).isTrue();

			other.stop();
			awaitNews(other, "granted", "revoked");
			leader.stop();
			other.start();
			awaitNews(other, "granted", "revoked", "granted");
			assertThat(leader.news()).containsExactly("granted", "revoked");
		}
	}

	@Test
	void leaderWhoseLockIsTakenAwayIsRevokedByItsNextHeartbeat() {
		String role = newKey();
		try (InitiatorNode one = new InitiatorNode(registry(), role);
				InitiatorNode two = new InitiatorNode(there().registry(), role)) {
			InitiatorNode leader = awaitLeader(one, two);

			takeAway(role);

			// Long before the next renewal of the lease.
			Awaitility.await().until(() -> leader.news().size() >= 2);
			assertThat(leader.news()).startsWith("granted", "revoked");
			awaitLeader(one, two);
		}
	}

	private static void awaitNews(InitiatorNode node, String... news) {
		Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(node.news()).containsExactly(news));
	}

	private static InitiatorNode awaitLeader(InitiatorNode one, InitiatorNode two) {
		Awaitility.await().atMost(PATIENCE).until(() -> one.leads() || two.leads());
		return one.leads() ? one : two;
	}

	private static void awaitParked(AtomicReference<Thread> thread) {
		Awaitility.await().atMost(PATIENCE).until(() -> {
			Thread waiting = thread.get();
			return waiting != null
					&& Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(waiting.getState());
		});
	}

}
