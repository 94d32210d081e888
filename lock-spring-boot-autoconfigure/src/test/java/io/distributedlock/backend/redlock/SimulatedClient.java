package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.Referee.Wanted;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A JVM of a history: the client's logic, with callers that acquire, hold, renew, hand
 * over and release leases, or fail to.
 */
final class SimulatedClient {

	private static final long MILLI = 1_000_000;

	private static final Duration CALL = Duration.ofMillis(300);

	private static final long TICK_MILLIS = 250;

	private static final Duration FORCED_COOLDOWN = Duration.ofMillis(103);

	private final String name;

	private final EventLoop loop;

	private final SimulatedClock clock;

	private final SplittableRandom random;

	private final Referee referee;

	private final RedlockLockBackend backend;

	private BackendConnection connection;

	private final HistoryPlan plan;

	private final Tallies tallies;

	private boolean closing;

	SimulatedClient(String name, EventLoop loop, SimulatedClock clock, SplittableRandom random, Referee referee,
			RedlockLockBackend backend, HistoryPlan plan, Tallies tallies) {
		this.name = name;
		this.loop = loop;
		this.clock = clock;
		this.random = random;
		this.referee = referee;
		this.backend = backend;
		this.plan = plan;
		this.tallies = tallies;
	}

	BackendConnection connection() {
		return this.connection;
	}

	SimulatedClock clock() {
		return this.clock;
	}

	void start() {
		this.connection = this.backend.connect((ownerId) -> {
		});
		for (int i = 0; i < this.plan.callers(); i++) {
			think();
		}
	}

	void close() {
		this.closing = true;
	}

	private void later(long nanos, Runnable action) {
		this.clock.schedule(Duration.ofNanos(nanos), action);
	}

	private void think() {
		if (this.closing) {
			return;
		}
		later(this.random.nextLong(this.plan.thinkNanos()), this::visit);
	}

	private void visit() {
		if (this.closing) {
			return;
		}
		String key = "key" + this.random.nextInt(this.plan.keys());
		if (this.plan.forceShare() > 0 && this.random.nextDouble() < this.plan.forceShare()) {
			force(key);
			return;
		}
		LockMode mode = this.plan.usage().mode(this.random);
		Long tick = null;
		if (mode == LockMode.EXCLUSIVE && this.random.nextDouble() < this.plan.tickShare()) {
			// As a schedule computes it from a wall clock, for a run that may be late.
			long late = this.random.nextInt(this.plan.ticksLate() + 1);
			tick = (this.clock.wallMillis() / TICK_MILLIS - late) * TICK_MILLIS;
		}
		int permits = this.plan.usage().permits(mode, this.random);
		boolean waits = this.plan.usage().hasGroups() && this.random.nextBoolean();
		List<String> keys = keys(key);
		List<Wanted> wanted = new ArrayList<>();
		for (String one : keys) {
			boolean last = wanted.size() == keys.size() - 1;
			wanted.add(new Wanted(one, mode, permits, last ? tick : null));
		}
		Contender contender = this.connection.contend(target(wanted), () -> {
		});
		attempt(contender, wanted, waits, this.random.nextInt(3));
	}

	/**
	 * Return a key, or several keys with it, in their order.
	 */
	private List<String> keys(String key) {
		if (!this.plan.usage().hasSets()) {
			return List.of(key);
		}
		return IntStream.range(0, this.plan.keys())
			.mapToObj((index) -> "key" + index)
			.filter((other) -> other.equals(key) || this.random.nextBoolean())
			.toList();
	}

	private static LockTarget target(List<Wanted> wanted) {
		return new LockTarget(wanted.stream().map(Wanted::key).toList(), wanted.get(0).mode());
	}

	private void force(String key) {
		this.referee.forced(key);
		this.connection.forceRelease(key, FORCED_COOLDOWN).whenComplete((held, fault) -> {
			// Leases that were granted while nodes were asked may have been taken away,
			// too.
			this.referee.forced(key);
			this.tallies.forced++;
			think();
		});
	}

	private OwnerId newOwner() {
		return new OwnerId(HexFormat.of().toHexDigits(this.random.nextLong())
				+ HexFormat.of().toHexDigits(this.random.nextLong()));
	}

	private void attempt(Contender contender, List<Wanted> wanted, boolean waits, int retries) {
		OwnerId owner = newOwner();
		Duration ttl = this.plan.ttls().get(this.random.nextInt(this.plan.ttls().size()));
		int span = (wanted.get(0).mode() == LockMode.PERMITS || this.random.nextBoolean()) ? 1
				: 1 + this.random.nextInt(8);
		long startedAt = this.loop.now();
		Long millis = wanted.get(wanted.size() - 1).tick();
		Instant tick = (millis != null) ? Instant.ofEpochMilli(millis) : null;
		LeaseRequest request = new LeaseRequest(owner, ttl, span, wanted.get(0).permits(), tick, waits, CALL,
				Duration.ZERO);
		this.tallies.attempts++;
		contender.attempt(request).thenAccept((outcome) -> {
			boolean again = outcome instanceof AttemptOutcome.Busy && retries > 0 && !this.closing;
			if (!again) {
				contender.withdraw();
			}
			if (outcome instanceof AttemptOutcome.Granted granted) {
				hold(granted.grant(), ttl, wanted, startedAt);
			}
			else if (outcome instanceof AttemptOutcome.Busy busy) {
				this.tallies.busy++;
				if (again) {
					long pause = Math.min(busy.pollAfter().toNanos(), 250 * MILLI);
					later(pause, () -> attempt(contender, wanted, waits, retries - 1));
				}
				else {
					think();
				}
			}
			else if (outcome instanceof AttemptOutcome.Done) {
				this.tallies.done++;
				think();
			}
			else {
				this.tallies.unavailable++;
				if (((AttemptOutcome.Unavailable) outcome).sent()) {
					abandon(new Orphan(target(wanted), owner), this.clock.nanoTime() + ttl.toNanos());
				}
				think();
			}
		});
	}

	/**
	 * As the engine does.
	 */
	private void abandon(Orphan orphan, long until) {
		this.connection.abandon(List.of(orphan));
		if (until - this.clock.nanoTime() > 0) {
			later(1000 * MILLI, () -> abandon(orphan, until));
		}
	}

	private void hold(LeaseGrant grant, Duration ttl, List<Wanted> wanted, long startedAt) {
		this.tallies.grants++;
		this.tallies.members += grant.target().isGroup() ? 1 : 0;
		long until = this.plan.countsFromTheAnswer() ? this.clock.nanoTime() + ttl.toNanos() : grant.validUntil();
		this.tallies.sets += (wanted.size() > 1) ? 1 : 0;
		List<Referee.Tenure> tenures = wanted.stream()
			.map((one) -> this.referee.granted(this.name, this.clock, one, this.plan.tokens(grant), startedAt, until))
			.toList();
		long length = (this.random.nextInt(4) == 0) ? this.random.nextLong(2 * ttl.toNanos())
				: this.random.nextLong(30 * MILLI);
		boolean renews = this.random.nextInt(4) != 0;
		boolean forgets = this.random.nextInt(16) == 0;
		Holding holding = new Holding(grant, ttl, tenures);
		if (renews && length > ttl.toNanos() / 3) {
			later(ttl.toNanos() / 3, holding::renew);
		}
		for (int i = 1; i < grant.token().count(); i++) {
			later(this.random.nextLong(length + 1), holding::passOn);
		}
		later(length, () -> {
			if (forgets) {
				// To the nodes, its JVM has crashed.
				holding.forget();
			}
			else {
				holding.release();
			}
		});
	}

	/**
	 * A held lease.
	 */
	private final class Holding {

		private final LeaseGrant grant;

		private final Duration ttl;

		// One for each key.
		private final List<Referee.Tenure> tenures;

		private int used;

		private boolean over;

		Holding(LeaseGrant grant, Duration ttl, List<Referee.Tenure> tenures) {
			this.grant = grant;
			this.ttl = ttl;
			this.tenures = tenures;
		}

		private boolean isHeld() {
			return !this.over && this.tenures.get(0).isHeld();
		}

		void renew() {
			if (!isHeld()) {
				return;
			}
			long sentAt = SimulatedClient.this.loop.now();
			SimulatedClient.this.connection.renew(List.of(new Renewal(this.grant, this.ttl))).thenAccept((outcomes) -> {
				if (outcomes.get(0) instanceof RenewalOutcome.Renewed renewed && isHeld()) {
					SimulatedClient.this.tallies.renewals++;
					SimulatedClient.this.tallies.memberRenewals += this.grant.target().isGroup() ? 1 : 0;
					for (Referee.Tenure tenure : this.tenures) {
						SimulatedClient.this.referee.renewed(tenure, sentAt);
						tenure.lengthen(renewed.validUntil());
					}
				}
			});
			later(this.ttl.toNanos() / 3, this::renew);
		}

		void passOn() {
			if (isHeld() && this.used < this.grant.token().count() - 1) {
				this.used++;
				SimulatedClient.this.tallies.handOvers++;
				long token = SimulatedClient.this.plan.tokens(this.grant).first() + this.used;
				this.tenures.forEach((tenure) -> SimulatedClient.this.referee.use(tenure, token));
			}
		}

		void forget() {
			this.over = true;
			this.tenures.forEach(Referee.Tenure::end);
			think();
		}

		void release() {
			this.over = true;
			this.tenures.forEach(Referee.Tenure::end);
			SimulatedClient.this.connection.release(this.grant, Duration.ZERO).whenComplete((stood, fault) -> think());
		}

	}

	/**
	 * Counts how often each kind of event has happened.
	 */
	static final class Tallies {

		int attempts;

		int grants;

		int busy;

		int done;

		int unavailable;

		int renewals;

		int handOvers;

		int members;

		int memberRenewals;

		int forced;

		int sets;

		void add(Tallies other) {
			this.attempts += other.attempts;
			this.grants += other.grants;
			this.busy += other.busy;
			this.done += other.done;
			this.unavailable += other.unavailable;
			this.renewals += other.renewals;
			this.handOvers += other.handOvers;
			this.members += other.members;
			this.memberRenewals += other.memberRenewals;
			this.forced += other.forced;
			this.sets += other.sets;
		}

	}

}
