package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.NodeMembers.EntryRequest;
import io.distributedlock.backend.redlock.NodeMembers.HeldMember;
import io.distributedlock.backend.redlock.NodeSession.HeldLock;
import io.distributedlock.backend.redlock.NodeSession.ReleaseRequest;
import io.distributedlock.backend.redlock.NodeSession.VoteRequest;
import io.distributedlock.backend.redlock.lettuce.LettuceNodes;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts of a node do what their model does, so that the simulation is about them.
 * Random calls are made at both. Nothing expires meanwhile.
 */
public abstract class NodeScriptsContract {

	private static final int HISTORIES = Integer.getInteger("lock.test.redlock.script-histories", 20);

	private static final int CALLS = 400;

	private static final long[] TTLS = { 100_000, 200_000, 400_000 };

	/**
	 * How far remaining times may be apart. The server's clock of expiries is not the
	 * TIME of the script, and times themselves are far longer apart.
	 */
	private static final long TOLERANCE_MILLIS = 50_000;

	private static final List<LockMode> GROUPS = List.of(LockMode.SHARED, LockMode.PERMITS);

	private final SystemLockClock clock = new SystemLockClock();

	private final AtomicLong micros = new AtomicLong();

	private RedlockNode node;

	private NodeSession session;

	private NodeModel model;

	private String state;

	private Random random;

	private List<String> values;

	private long lastToken;

	/**
	 * Return the address of a node.
	 */
	protected abstract RedlockEndpoint endpoint();

	@BeforeEach
	void connect() {
		String prefix = "lock:" + OwnerId.random().value() + ":";
		this.node = new LettuceNodes(List.of(endpoint()), null, prefix, Duration.ofSeconds(10), this.clock).get()
			.get(0);
		this.session = join(this.node.connect());
		this.state = new NodeState.Voting(this.session.identity().incarnation(), "config", NodeHighWaterMark.NONE)
			.literal();
		assertThat(join(this.session.changeState(null, this.state, NodeHighWaterMark.NONE)).value()).isTrue();
	}

	@AfterEach
	void close() {
		this.session.close();
		this.node.close();
		this.clock.close();
	}

	@Test
	void scriptsOfANodeAnswerAsTheirModel() {
		long seed = Long.getLong("lock.test.seed", System.nanoTime());
		for (int history = 0; history < HISTORIES; history++) {
			this.random = new Random(seed + history);
			run("seed " + (seed + history), List.of("a" + history, "b" + history));
		}
	}

	private void run(String name, List<String> keys) {
		this.model = new NodeModel(this.micros::get);
		this.model.state = this.state;
		this.model.mark = join(this.session.highWaterMark(this.state)).value().orElseThrow();
		this.values = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			this.values.add(OwnerId.random().value() + "|test");
		}
		this.lastToken = join(this.session.state()).micros();
		List<String> calls = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			Call<?> call = call(keys);
			calls.add(call.name);
			call.check(name, calls);
		}
		NodeHighWaterMark mark = join(this.session.highWaterMark(this.state)).value().orElseThrow();
		assertThat(mark).as(name).isEqualTo(this.model.mark);
	}

	private Call<?> call(List<String> keys) {
		String key = keys.get(this.random.nextInt(2));
		// One of the two, or both.
		List<String> some = this.random.nextBoolean() ? List.of(key) : keys;
		String value = this.values.get(this.random.nextInt(this.values.size()));
		long ttl = TTLS[this.random.nextInt(TTLS.length)];
		LockMode mode = GROUPS.get(this.random.nextInt(2));
		int which = this.random.nextInt(20);
		if (which < 3) {
			VoteRequest vote = vote(some, value, ttl);
			return new Call<>("acquire " + vote, (one) -> one.acquire(vote), (one) -> one.acquire(vote));
		}
		if (which < 9) {
			int permits = 0;
			if (mode == LockMode.PERMITS) {
				permits = 1 + this.random.nextInt(3);
				some = List.of(key);
			}
			EntryRequest entry = new EntryRequest(mode, permits, vote(some, value, ttl));
			return new Call<>("enter " + entry, (one) -> one.enter(entry), (one) -> one.groups.enter(entry));
		}
		if (which < 12) {
			ReleaseRequest release = new ReleaseRequest(some, value, (this.random.nextInt(4) == 0) ? ttl : 0, null,
					true);
			return (this.random.nextInt(3) == 0)
					? new Call<>("release " + release, (one) -> one.release(release), (one) -> one.release(release))
					: new Call<>("leave " + release, (one) -> one.leave(release), (one) -> one.groups.leave(release));
		}
		HeldLock held = new HeldLock(key, value, (this.random.nextInt(4) == 0) ? 0 : ttl,
				this.lastToken - this.random.nextInt(3));
		HeldMember member = new HeldMember(mode, new HeldLock(key, value, ttl, held.last()), 1);
		return switch (which) {
			case 12, 13 -> new Call<>("renewMembers " + member, (one) -> one.renewMembers(this.state, List.of(member)),
					(one) -> one.renewMembers(this.state, List.of(member)));
			case 14 -> new Call<>("renew " + held, (one) -> one.renew(this.state, List.of(held)),
					(one) -> one.renew(this.state, List.of(held)));
			case 15 ->
				new Call<>("reinstallMember " + member, (one) -> one.reinstallMember(this.state, member, 1_000_000),
						(one) -> one.reinstallMember(this.state, member, 1_000_000));
			case 16 -> new Call<>("closeDoor", (one) -> one.closeDoor(key, value, ttl),
					(one) -> one.groups.closeDoor(key, value, ttl));
			case 17 -> new Call<>("openDoor", (one) -> one.openDoor(key, value, true),
					(one) -> one.groups.openDoor(key, value, true));
			case 18 -> new Call<>("find", (one) -> one.find(key), (one) -> one.find(key));
			default -> new Call<>("forceRelease", (one) -> one.forceRelease(key, 0), (one) -> one.forceRelease(key, 0));
		};
	}

	private VoteRequest vote(List<String> keys, String value, long ttl) {
		long first = this.lastToken + this.random.nextInt(4) - 1;
		int span = 1 + this.random.nextInt(2);
		this.lastToken = Math.max(this.lastToken, first + span - 1);
		return new VoteRequest(this.state, 0, 0, keys, value, ttl, first, span, null,
				this.random.nextBoolean() ? 600_000 : 0, 3_600_000);
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	private static Object withoutTimes(Object answer) {
		if (answer instanceof NodeVote.Busy busy) {
			return new NodeVote.Busy(rounded(busy.restMillis()), busy.counter(), busy.holder(), busy.index());
		}
		if (answer instanceof NodeVote.Full full) {
			return List.of(rounded(full.restMillis()), full.counter(), new HashSet<>(full.others()));
		}
		if (answer instanceof NodeVote.Ack ack) {
			return new HashSet<>(ack.others());
		}
		if (answer instanceof List<?> list) {
			return new HashSet<>(list.stream().map(NodeScriptsContract::withoutTimes).toList());
		}
		if (answer instanceof NodeHolder holder) {
			return new NodeHolder(holder.mode(), holder.value(), rounded(holder.restMillis()), holder.last(),
					holder.count());
		}
		return answer;
	}

	private static long rounded(long millis) {
		return (millis + TOLERANCE_MILLIS) / (2 * TOLERANCE_MILLIS);
	}

	private final class Call<T> {

		private final String name;

		private final Function<NodeSession, CompletionStage<NodeAnswer<T>>> script;

		private final Function<NodeModel, T> modelled;

		Call(String name, Function<NodeSession, CompletionStage<NodeAnswer<T>>> script,
				Function<NodeModel, T> modelled) {
			this.name = name;
			this.script = script;
			this.modelled = modelled;
		}

		void check(String history, List<String> calls) {
			NodeAnswer<T> answer = join(this.script.apply(NodeScriptsContract.this.session));
			NodeScriptsContract.this.micros.set(answer.micros());
			T expected = this.modelled.apply(NodeScriptsContract.this.model);
			assertThat(withoutTimes(answer.value())).as("%s, after %s", history, calls)
				.isEqualTo(withoutTimes(expected));
		}

	}

}
