package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redlock.Network.Connection;

/**
 * A server of a history: a process that lives, dies and is started again, with a clock of
 * its own.
 */
final class SimulatedNode {

	// A time in 2026, so that tokens have a realistic number of digits.
	private static final long START_MICROS = 1_780_000_000_000_000L;

	private final EventLoop loop;

	private final double speed;

	private final List<Connection> connections = new ArrayList<>();

	private final String runIdPrefix;

	final NodeModel model;

	private NodeModel snapshot;

	private final NodeFactory factory;

	private long jumpedMicros;

	private int life = 1;

	private @Nullable NodeIdentity identity;

	private boolean up = true;

	private long hangsUntil;

	SimulatedNode(EventLoop loop, int index, SplittableRandom random, NodeFactory factory) {
		this.loop = loop;
		this.speed = 1 + (random.nextDouble() - 0.5) / 250;
		this.runIdPrefix = "node" + index + "life";
		this.factory = factory;
		this.model = factory.create(this::micros);
		this.snapshot = factory.create(this::micros);
	}

	NodeIdentity identity() {
		if (this.identity == null) {
			this.identity = newIdentity();
		}
		return this.identity;
	}

	private NodeIdentity newIdentity() {
		return new NodeIdentity(this.runIdPrefix + this.life, "r" + this.life, false, 0, false);
	}

	String incarnation() {
		return identity().incarnation();
	}

	private long micros() {
		return START_MICROS + (long) (this.loop.now() * this.speed) / 1000 + this.jumpedMicros;
	}

	boolean isUp() {
		return this.up;
	}

	int life() {
		return this.life;
	}

	long hangsUntil() {
		return this.hangsUntil;
	}

	boolean votes() {
		String state = this.model.state;
		return this.up && state != null && state.startsWith("ok:") && state.startsWith(incarnation(), 3);
	}

	void connected(Connection connection) {
		this.connections.add(connection);
	}

	List<Connection> connections() {
		this.connections.removeIf(Connection::isOver);
		return List.copyOf(this.connections);
	}

	void hang(long nanos) {
		this.hangsUntil = this.loop.now() + nanos;
	}

	void jump(long micros) {
		this.jumpedMicros += micros;
	}

	/**
	 * Write the data to the disk.
	 */
	void save() {
		this.snapshot = this.factory.create(this::micros);
		this.snapshot.restore(this.model);
	}

	void crash() {
		this.up = false;
		this.life++;
		this.identity = null;
		connections().forEach(Connection::serverGone);
		this.connections.clear();
	}

	void start(Disk disk) {
		this.up = true;
		switch (disk) {
			case EMPTY -> this.model.wipe();
			case OLD -> this.model.restore(this.snapshot);
			case WHOLE -> {
			}
		}
	}

	/**
	 * The data on the disk at a start.
	 */
	enum Disk {

		EMPTY, OLD, WHOLE

	}

	/**
	 * Creates models.
	 */
	@FunctionalInterface
	interface NodeFactory {

		NodeModel create(java.util.function.LongSupplier micros);

	}

}
