package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Provides nodes that answer at once, on a virtual clock, and clients of them.
 */
final class NodesFixture {

	static final String KEY = "key";

	static final Duration TTL = Duration.ofSeconds(30);

	final VirtualLockClock clock = new VirtualLockClock();

	final RedlockSettings settings;

	final List<DirectNode> nodes;

	private final UnaryOperator<RedlockNode> way;

	/**
	 * Create nodes that vote.
	 */
	NodesFixture(int number) {
		this(number, UnaryOperator.identity());
	}

	/**
	 * Create nodes that vote.
	 * @param way wraps the route of clients to each node
	 */
	NodesFixture(int number, UnaryOperator<RedlockNode> way) {
		this.way = way;
		List<String> names = IntStream.range(0, number).mapToObj((i) -> "node" + i + ":6379").toList();
		this.settings = settings(names, Duration.ofSeconds(60));
		this.nodes = names.stream().map((name) -> new DirectNode(name, this.clock).voting(this.settings)).toList();
	}

	private static RedlockSettings settings(List<String> names, Duration maxTtl) {
		return new RedlockSettings(names, Duration.ofMillis(50), maxTtl, true, Duration.ofHours(1),
				Duration.ofSeconds(2), "test", "");
	}

	List<RedlockNode> ways() {
		return this.nodes.stream().map((node) -> this.way.apply(node.way())).toList();
	}

	DirectNode node(int index) {
		return this.nodes.get(index);
	}

	NodeModel model(int index) {
		return node(index).model;
	}

	/**
	 * Return a client that is started and has inspected the nodes.
	 */
	SteeredClient client() {
		return new SteeredClient(this, this.settings);
	}

	/**
	 * Return a client with another longest TTL.
	 */
	SteeredClient clientWithMaxTtl(Duration maxTtl) {
		return new SteeredClient(this, settings(this.settings.nodes(), maxTtl));
	}

	/**
	 * Empty a node as FLUSHALL does: the connections stay.
	 */
	void flush(int index) {
		synchronized (node(index)) {
			model(index).wipe();
		}
	}

	/**
	 * Let a node lose a lock early.
	 */
	void lose(int index) {
		synchronized (node(index)) {
			model(index).locks.remove(KEY);
			model(index).groups.sets.remove(KEY);
		}
	}

	boolean hasLock(int index) {
		synchronized (node(index)) {
			return model(index).lock(KEY) != null;
		}
	}

	/**
	 * Return the owner ids of the members at a node.
	 */
	List<String> members(int index) {
		synchronized (node(index)) {
			return model(index).find(KEY).stream().map((holder) -> holder.value().substring(0, 32)).toList();
		}
	}

	boolean isQuarantined(int index) {
		return state(index) instanceof NodeState.Quarantine;
	}

	NodeState state(int index) {
		return NodeState.parse(String.valueOf(node(index).state())).orElseThrow();
	}

	/**
	 * Let the nodes' clocks jump.
	 */
	void jump(Duration by, int... indexes) {
		for (int index : indexes) {
			node(index).jump(by.toMillis() * 1000);
		}
	}

	/**
	 * Set the counter of the key at a node.
	 */
	void count(int index, long last) {
		synchronized (node(index)) {
			model(index).setCounter(KEY, new NodeModel.Counter(last, 1, null, null, false), 3_600_000);
		}
	}

	/**
	 * Return the true time of the nodes in microseconds, whatever their clocks have done.
	 */
	long micros() {
		List<Long> all = new ArrayList<>();
		this.nodes.forEach((node) -> all.add(node.model.micros()));
		all.sort(null);
		return all.get(0);
	}

	static OwnerId owner() {
		return OwnerId.random();
	}

}
