package io.distributedlock.backend.redlock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
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

	private final Map<String, Long> forcedUntil = new HashMap<>();

	private int mostPermits;

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
	Tenure granted(String client, SimulatedClock clock, Wanted wanted, TokenRange range, long startedAt,
			long validUntil) {
		Tenure tenure = new Tenure(client, clock, wanted, range, this.loop.now(), validUntil);
		String key = wanted.key();
		tenure.forced = startedAt < this.forcedUntil.getOrDefault(key, 0L);
		Long tick = wanted.tick();
		List<Tenure> all = this.tenures.computeIfAbsent(key, (absent) -> new ArrayList<>());
		for (Tenure other : all) {
			if (this.locksLast && other.isHeld() && !other.forced && !tenure.forced && tenure.excludes(other)) {
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
		if (this.locksLast) {
			count(all);
		}
		use(tenure, range.first());
		if (tick != null && this.runs.merge(key + "@" + tick, 1, Integer::sum) > 1) {
			violation("tick " + tick + " of " + key + " runs again, by " + tenure);
		}
		return tenure;
	}

	/**
	 * Count the permits. Their number belongs to the request, so the largest one counts:
	 * a holder was granted with fewer others before it than it has permits.
	 */
	private void count(List<Tenure> all) {
		List<Tenure> held = all.stream()
			.filter((tenure) -> tenure.wanted.mode() == LockMode.PERMITS && tenure.isHeld() && !tenure.forced)
			.sorted(Comparator.comparingLong((tenure) -> tenure.range.first()))
			.toList();
		this.mostPermits = Math.max(this.mostPermits, held.size());
		for (int i = 0; i < held.size(); i++) {
			if (i >= held.get(i).wanted.permits()) {
				violation(held.get(i) + " has " + held.get(i).wanted.permits() + " permits and is one of more holders: "
						+ held);
			}
		}
	}

	/**
	 * Record that a lock is taken away from its holders. From now on they may overlap
	 * with others until they know. So may those that are granted while nodes may still
	 * execute the requests.
	 */
	void forced(String key) {
		this.tenures.getOrDefault(key, List.of()).forEach((tenure) -> tenure.forced = true);
		this.forcedUntil.put(key, this.loop.now() + Network.LATEST_NANOS);
	}

	int mostPermits() {
		return this.mostPermits;
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
			if (this.locksLast && other.token > token && !tenure.forced && !other.tenure.forced
					&& tenure.excludes(other.tenure)) {
				violation(tenure + " uses token " + token + " after " + other.token + " was used");
			}
		}
		all.add(new Used(tenure, token));
	}

	/**
	 * Record that a renewal has succeeded.
	 * @param sentAt the true time at which it was sent
	 */
	void renewed(Tenure tenure, long sentAt) {
		for (Tenure other : this.tenures.get(tenure.key)) {
			if (other.range.first() > tenure.range.last() && other.grantedAt <= sentAt && tenure.excludes(other)) {
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

		private final Wanted wanted;

		private final String key;

		private final TokenRange range;

		private final long grantedAt;

		private long validUntil;

		private boolean ended;

		private boolean forced;

		Tenure(String client, SimulatedClock clock, Wanted wanted, TokenRange range, long grantedAt, long validUntil) {
			this.client = client;
			this.clock = clock;
			this.wanted = wanted;
			this.key = wanted.key();
			this.range = range;
			this.grantedAt = grantedAt;
			this.validUntil = validUntil;
		}

		boolean isHeld() {
			return !this.ended && this.validUntil - this.clock.nanoTime() > 0;
		}

		boolean excludes(Tenure other) {
			return this.wanted.mode() == LockMode.EXCLUSIVE || this.wanted.mode() != other.wanted.mode();
		}

		void lengthen(long until) {
			this.validUntil = Math.max(this.validUntil, until);
		}

		void end() {
			this.ended = true;
		}

		@Override
		public String toString() {
			return this.client + "'s " + this.wanted.mode() + " lease on " + this.key + " with tokens "
					+ this.range.first() + "-" + this.range.last();
		}

	}

	private record Used(Tenure tenure, long token) {
	}

	/**
	 * What a caller has requested.
	 *
	 * @param key the key
	 * @param mode how it is shared
	 * @param permits the number of permits, or zero
	 * @param tick the tick, if any
	 */
	record Wanted(String key, LockMode mode, int permits, @Nullable Long tick) {
	}

}
