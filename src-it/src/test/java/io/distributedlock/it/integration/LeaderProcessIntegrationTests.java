package io.distributedlock.it.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.Locks;
import io.distributedlock.integration.LeaderElection;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.stores.SharedStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with JVMs that are candidates for a role, whose leader loses its lock, stands
 * still or is killed. The events are triggered once, in all stores side by side. Each
 * test checks the outcome in one store.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeaderProcessIntegrationTests {

	private static final Duration HEART_BEAT = Duration.ofSeconds(2);

	private static final Duration TTL = Duration.ofSeconds(4);

	/**
	 * A margin for busy machines, and for databases that are polled.
	 */
	private static final Duration MARGIN = Duration.ofSeconds(10);

	private static final Pattern STOOD = Pattern.compile("stood (\\d+) (\\d+)");

	private static final String KEY = LeaderElection.KEY_PREFIX + LeaderJvm.ROLE;

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	private final String run = "leaders-" + UUID.randomUUID();

	private final Map<SharedStore, ConfigurableApplicationContext> observers = new HashMap<>();

	private final List<JavaProcess> jvms = new ArrayList<>();

	private final Map<SharedStore, List<Taking>> takings = new HashMap<>();

	private final Map<SharedStore, Boolean> freeInTheEnd = new HashMap<>();

	// When the leader was killed, and which it was.
	private long killedAt;

	private @Nullable JavaProcess killed;

	Stream<SharedStore> stores() {
		return this.observers.keySet().stream().sorted();
	}

	@BeforeAll
	void run() throws Exception {
		for (SharedStore store : SharedStore.values()) {
			if (store != SharedStore.ETCD || EtcdServer.isThereFor(LeaderProcessIntegrationTests.class)) {
				this.observers.put(store, LockApplication.start(properties(store)));
				this.takings.put(store, new ArrayList<>());
			}
		}
		JavaProcess first = start("first");
		JavaProcess second = start("second");
		first.awaitLine("^standing$");
		second.awaitLine("^standing$");

		takeLocksAway();
		endSessions();
		pause(leadsMost(first, second) ? first : second);
		JavaProcess leader = leadsMost(first, second) ? first : second;
		JavaProcess left = (leader == first) ? second : first;
		this.killedAt = System.nanoTime();
		this.killed = leader;
		leader.kill();
		awaitLeaderInEachStore(left);
		left.stop();
		this.observers.forEach(
				(store, observer) -> this.freeInTheEnd.put(store, observer.getBean(Locks.class).find(KEY).isEmpty()));
		this.observers.keySet().forEach(this::print);
	}

	@AfterAll
	void close() {
		this.observers.values().forEach(ConfigurableApplicationContext::close);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void noTwoLeadersLeadAtTheSameTime(SharedStore store) {
		List<LeaderNews> news = news(store);

		// A JVM that stood still was notified later by that time.
		assertThat(LeaderNews.overlaps(news, (one, other) -> {
			long toldAt = one.end(news).orElseThrow().at();
			return toldAt - other.at() <= stoodStill(one.jvm(), other.at() - HEART_BEAT.toNanos(), toldAt);
		})).isEmpty();
		assertThat(LeaderNews.only(news, "led")).hasSizeGreaterThanOrEqualTo(2);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void leaderWhoseLockIsTakenAwayIsRevokedWithinOneHeartBeat(SharedStore store) {
		List<LeaderNews> news = news(store);

		assertThat(this.takings.get(store)).isNotEmpty().allSatisfy((taking) -> {
			assertThat(LeaderNews.only(news, "led").filter((led) -> led.token() == taking.leader().token()))
				.as("the times in which it was seen to lead")
				.isNotEmpty()
				.allMatch((led) -> led.until() - taking.at() < HEART_BEAT.toNanos());
			assertThat(taking.leader().end(news)).as("being told").isPresent();
		});
	}

	@ParameterizedTest
	@MethodSource("stores")
	void leaderThatIsKilledIsFollowedWithinTheTtl(SharedStore store) {
		List<LeaderNews> news = news(store);

		Optional<LeaderNews> next = LeaderNews.only(news, "granted")
			.filter((granted) -> !granted.jvm().equals(this.killed.name()) && granted.at() > this.killedAt)
			.findFirst();

		assertThat(next).isPresent();
		assertThat(next.get().at() - this.killedAt).isLessThan(TTL.plus(MARGIN).toNanos());
	}

	@ParameterizedTest
	@MethodSource("stores")
	void eachLeaderHasAGreaterTokenThanThoseBefore(SharedStore store) {
		assertThat(LeaderNews.only(news(store), "granted").map(LeaderNews::token)).isSorted().doesNotContainNull();
		assertThat(LeaderNews.only(news(store), "granted").map(LeaderNews::token).distinct())
			.hasSizeGreaterThanOrEqualTo(3);
	}

	@ParameterizedTest
	@MethodSource("stores")
	void leaderThatEndsInOrderIsNotifiedAndGivesTheLockBack(SharedStore store) {
		assertThat(leader(store)).isEmpty();
		assertThat(this.freeInTheEnd.get(store)).isTrue();
	}

	private List<String> properties(SharedStore store) {
		List<String> properties = new ArrayList<>(store.properties());
		properties.addAll(List.of("lock.key-prefix=" + this.run + ":", "lock.leader-election.heart-beat=" + HEART_BEAT,
				"lock.leader-election.ttl=" + TTL, "lock.zookeeper.root=/" + this.run,
				"lock.zookeeper.session-timeout=" + TTL, "lock.etcd.namespace=" + this.run + "/",
				"lock.etcd.session-ttl=" + TTL));
		return properties;
	}

	private JavaProcess start(String name) throws Exception {
		JavaCommand command = JavaCommand.of(LeaderJvm.class).option("-Xmx256m");
		for (SharedStore store : this.observers.keySet()) {
			command = command.argument(store.storeName() + "\n" + String.join("\n", properties(store)));
		}
		JavaProcess jvm = processes.start(name, command);
		this.jvms.add(jvm);
		return jvm;
	}

	private List<LeaderNews> news(SharedStore store) {
		List<LeaderNews> news = LeaderNews.of(this.jvms, store.storeName());
		if (this.killed == null || this.killed.isAlive()) {
			return news;
		}
		return LeaderNews.endedBy(this.killed.name(), this.killedAt, news);
	}

	private Optional<LeaderNews> leader(SharedStore store) {
		return LeaderNews.leader(news(store));
	}

	private void takeLocksAway() {
		this.observers
			.forEach((store, observer) -> takeAway(store, () -> observer.getBean(Locks.class).forceRelease(KEY)));
		awaitEndOfTakings();
	}

	private void endSessions() {
		takeAway(SharedStore.ZOOKEEPER, () -> {
			SessionEnd.inZooKeeper("/" + this.run);
			return true;
		});
		if (this.observers.containsKey(SharedStore.ETCD)) {
			takeAway(SharedStore.ETCD, () -> {
				SessionEnd.inEtcd(this.run + "/");
				return true;
			});
		}
		awaitEndOfTakings();
	}

	private void takeAway(SharedStore store, Callable<Boolean> action) {
		LeaderNews leader = await(() -> leader(store));
		try {
			assertThat(action.call()).isTrue();
			this.takings.get(store).add(new Taking(leader, System.nanoTime()));
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Wait until each leader was notified, and a leader has another lease.
	 */
	private void awaitEndOfTakings() {
		this.takings.forEach((store, all) -> all.forEach((taking) -> {
			await(() -> taking.leader().end(news(store)));
			await(() -> leader(store).filter((leader) -> leader.token() > taking.leader().token()));
		}));
	}

	/**
	 * Let a JVM stand still until the other one leads, and then continue.
	 */
	private void pause(JavaProcess jvm) throws Exception {
		JavaProcess other = this.jvms.stream().filter((one) -> one != jvm).findFirst().orElseThrow();
		jvm.pause();
		awaitLeaderInEachStore(other);
		jvm.resume();
		this.observers.keySet()
			.forEach((store) -> await(() -> Optional.of(true)
				.filter((yes) -> leader(store).filter((one) -> one.jvm().equals(jvm.name())).isEmpty())));
	}

	/**
	 * Return how long a JVM stood still within a time, by its own record.
	 */
	private long stoodStill(String name, long from, long until) {
		return this.jvms.stream()
			.filter((jvm) -> jvm.name().equals(name))
			.flatMap((jvm) -> jvm.output().stream())
			.map(STOOD::matcher)
			.filter(Matcher::matches)
			.mapToLong((stood) -> Math.min(Long.parseLong(stood.group(2)), until)
					- Math.max(Long.parseLong(stood.group(1)), from))
			.filter((nanos) -> nanos > 0)
			.sum();
	}

	private boolean leadsMost(JavaProcess one, JavaProcess other) {
		return leads(one) >= leads(other);
	}

	private long leads(JavaProcess jvm) {
		return stores().filter((store) -> leader(store).filter((leader) -> leader.jvm().equals(jvm.name())).isPresent())
			.count();
	}

	private void awaitLeaderInEachStore(JavaProcess jvm) {
		this.observers.keySet()
			.forEach((store) -> await(() -> LeaderNews.leader(LeaderNews.of(List.of(jvm), store.storeName()))));
	}

	private static <T> T await(Callable<Optional<T>> found) {
		return Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollInterval(Duration.ofMillis(20))
			.until(found, Optional::isPresent)
			.orElseThrow();
	}

	private void print(SharedStore store) {
		List<LeaderNews> news = news(store);
		StringBuilder line = new StringBuilder(store.storeName()).append(':');
		for (Taking taking : this.takings.get(store)) {
			taking.leader()
				.end(news)
				.ifPresent((end) -> line.append(" lock taken away, told after ")
					.append(Duration.ofNanos(end.at() - taking.at()).toMillis())
					.append(" ms;"));
		}
		LeaderNews.only(news, "granted")
			.filter((granted) -> granted.at() > this.killedAt)
			.findFirst()
			.ifPresent((next) -> line.append(" killed, followed after ")
				.append(Duration.ofNanos(next.at() - this.killedAt).toMillis())
				.append(" ms"));
		System.out.println(line);
	}

	/**
	 * A lock that was taken away from a leader.
	 *
	 * @param leader the leader's last grant
	 * @param at an instant after that
	 */
	private record Taking(LeaderNews leader, long at) {
	}

}
