package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.TokenRange;

/**
 * Observes all events at their true time, and reports violations.
 */
final class Referee {

	private final EventLoop loop;

	private final boolean locksLast;

	private final Map<String, List<Tenure>> tenures = new HashMap<>();

	private final Map<String, List<Used>> tokens = new HashMap<>();

	private final Map<String, Integer> runs = new HashMap<>();

	private final List<String> violations = new ArrayList<>();

	/**
	 * Create a referee.
	 * @param locksLast whether nodes keep locks for the requested time, unless they
	 * forget everything. Otherwise leases can overlap, but their tokens still can't
	 */
	Referee(EventLoop loop, boolean locksLast) {
		this.loop = loop;
		this.locksLast = locksLast;
	}

	List<String> violations() {
		return this.violations;
	}

	private void violation(String what) {
		this.violations.add("at " + this.loop.now() / 1000 + " us: " + what);
	}

	/**
	 * Record that a lease was granted.
	 * @param startedAt the true time at which its attempt began
	 */
	Tenure granted(String client, SimulatedClock clock, String key, TokenRange range, long startedAt, long validUntil,
			@Nullable Long tick) {
		Tenure tenure = new Tenure(client, clock, key, range, this.loop.now(), validUntil);
		List<Tenure> all = this.tenures.computeIfAbsent(key, (absent) -> new ArrayList<>());
		for (Tenure other : all) {
			if (this.locksLast && other.isHeld()) {
				violation(tenure + " was granted while " + other + " is valid");
			}
			if (range.first() <= other.range.last() && other.range.first() <= range.last()) {
				violation(tenure + " has tokens of " + other);
			}
			if (other.grantedAt <= startedAt && other.range.last() >= range.first()) {
				violation(tenure + " has smaller tokens than " + other + ", which was granted before it began");
			}
		}
		all.add(tenure);
		use(tenure, range.first());
		if (tick != null && this.runs.merge(key + "@" + tick, 1, Integer::sum) > 1) {
			violation("tick " + tick + " of " + key + " runs again, by " + tenure);
		}
		return tenure;
	}

	/**
	 * Record that a holder uses a token.
	 */
	void use(Tenure tenure, long token) {
		List<Used> all = this.tokens.computeIfAbsent(tenure.key, (absent) -> new ArrayList<>());
		for (Used other : all) {
			if (other.token == token) {
				violation("token " + token + " is used twice");
			}
			if (this.locksLast && other.token > token) {
				violation(tenure + " uses token " + token + " after " + other.token + " was used");
			}
		}
		all.add(new Used(token));
	}

	/**
	 * Record that a renewal has succeeded.
	 * @param sentAt the true time at which it was sent
	 */
	void renewed(Tenure tenure, long sentAt) {
		for (Tenure other : this.tenures.get(tenure.key)) {
			if (other.range.first() > tenure.range.last() && other.grantedAt <= sentAt) {
				violation(tenure + " was renewed although " + other + " has been granted since");
			}
		}
	}

	int runs() {
		return this.runs.size();
	}

	/**
	 * A lease as its holder counts it.
	 */
	static final class Tenure {

		private final String client;

		private final SimulatedClock clock;

		private final String key;

		private final TokenRange range;

		private final long grantedAt;

		private long validUntil;

		private boolean ended;

		Tenure(String client, SimulatedClock clock, String key, TokenRange range, long grantedAt, long validUntil) {
			this.client = client;
			this.clock = clock;
			this.key = key;
			this.range = range;
			this.grantedAt = grantedAt;
			this.validUntil = validUntil;
		}

		boolean isHeld() {
			return !this.ended && this.validUntil - this.clock.nanoTime() > 0;
		}

		void lengthen(long until) {
			this.validUntil = Math.max(this.validUntil, until);
		}

		void end() {
			this.ended = true;
		}

		@Override
		public String toString() {
			return this.client + "'s lease on " + this.key + " with tokens " + this.range.first() + "-"
					+ this.range.last();
		}

	}

	private record Used(long token) {
	}

}
