package io.distributedlock.backend.redlock;

import java.util.Arrays;
import java.util.function.LongFunction;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.backend.redlock.History.Result;
import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;
import io.distributedlock.backend.redlock.HistoryPlan.Trouble;
import io.distributedlock.backend.redlock.SimulatedClient.Tallies;
import io.distributedlock.contract.LockBackendContract;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The client's logic against simulated nodes, in random histories. A history that fails
 * names its seed; {@code -Dlock.test.redlock.seed=…} repeats it. Their numbers are set by
 * {@code -Dlock.test.redlock.histories=…} for exclusive leases,
 * {@code -Dlock.test.redlock.group-histories=…} for groups, and
 * {@code -Dlock.test.redlock.set-histories=…} for several keys in one lease.
 */
@Tag(LockBackendContract.HISTORIES)
class SimulationTests {

	private static final int HISTORIES = Integer.getInteger("lock.test.redlock.histories", 8_000);

	private static final int GROUP_HISTORIES = Integer.getInteger("lock.test.redlock.group-histories", 4_000);

	private static final int SET_HISTORIES = Integer.getInteger("lock.test.redlock.set-histories", 2_000);

	private static final int[] NODES = { 3, 5, 7 };

	@ParameterizedTest
	@EnumSource(Trouble.class)
	void leasesNeverOverlapAndTokensGrowAndTicksRunOnce(Trouble trouble) {
		int histories = Math.max(1, HISTORIES / Trouble.values().length);
		Summary summary = run(histories, trouble, (seed) -> Usage.EXCLUSIVE);

		if (summary.histories >= 1000) {
			summary.assertMeaningful(histories, trouble);
		}
	}

	@ParameterizedTest
	@EnumSource(Trouble.class)
	void groupsExcludeOthersAndPermitsAreNeverExceededAndTokensGrow(Trouble trouble) {
		int histories = Math.max(1, GROUP_HISTORIES / Trouble.values().length);
		Usage[] groups = Arrays.stream(Usage.values())
			.filter((usage) -> usage.hasGroups() && !usage.hasSets())
			.toArray(Usage[]::new);
		// Each with all numbers of nodes.
		Summary summary = run(histories, trouble, (seed) -> groups[(int) (seed / 5 % groups.length)]);

		if (summary.histories >= 1000) {
			summary.assertMeaningfulForGroups(histories, trouble);
		}
	}

	@ParameterizedTest
	@EnumSource(Trouble.class)
	void leasesOnSeveralKeysExcludeOthersOnEachOfThem(Trouble trouble) {
		int histories = Math.max(1, SET_HISTORIES / Trouble.values().length);
		Summary summary = run(histories, trouble, (seed) -> Usage.SETS);

		if (summary.histories >= 500) {
			summary.assertMeaningfulForSets(histories);
		}
	}

	private static Summary run(int histories, Trouble trouble, LongFunction<Usage> usages) {
		Summary summary = new Summary();
		Long only = Long.getLong("lock.test.redlock.seed");
		long first = (only != null) ? only : 0;
		long end = (only != null) ? only + 1 : histories;
		for (long seed = first; seed < end; seed++) {
			Usage usage = usages.apply(seed);
			Result result = History.run(seed, plan(seed, trouble, usage, Sabotage.none()));
			summary.add(result);
			assertThat(result.violations()).as("history with seed %d, %s and %s", seed, trouble, usage).isEmpty();
		}
		System.out.println(trouble + ": " + summary);
		return summary;
	}

	@Test
	void sameSeedIsTheSameHistory() {
		Result one = History.run(42, plan(42, Trouble.RESTARTS, Sabotage.none()));
		Result other = History.run(42, plan(42, Trouble.RESTARTS, Sabotage.none()));

		assertThat(other.events()).isEqualTo(one.events());
		assertThat(other.acks()).isEqualTo(one.acks());
	}

	static HistoryPlan plan(long seed, Trouble trouble, Sabotage sabotage) {
		return plan(seed, trouble, Usage.EXCLUSIVE, sabotage);
	}

	static HistoryPlan plan(long seed, Trouble trouble, Usage usage, Sabotage sabotage) {
		// Mostly three nodes, since a single one decides there.
		return new HistoryPlan((seed % 5 < 3) ? 3 : NODES[(int) (seed % 5) - 2], trouble, usage, sabotage);
	}

	/**
	 * Summarizes the events of many histories.
	 */
	private static final class Summary {

		private final Tallies tallies = new Tallies();

		private long events;

		private int histories;

		private int recoveries;

		private int late;

		private int twice;

		private int acks;

		private int lows;

		private int reinstalls;

		private int jumps;

		private int runs;

		private int mostPermits;

		void add(Result result) {
			this.histories++;
			this.tallies.add(result.tallies());
			this.events += result.events();
			this.recoveries += result.recoveries();
			this.late += result.late();
			this.twice += result.twice();
			this.acks += result.acks();
			this.lows += result.lows();
			this.reinstalls += result.reinstalls();
			this.jumps += result.jumps();
			this.runs += result.runs();
			this.mostPermits = Math.max(this.mostPermits, result.mostPermits());
		}

		/**
		 * Assert that enough has happened, since histories without events are no proof.
		 */
		void assertMeaningful(int number, Trouble trouble) {
			assertThat(this.tallies.grants).as("grants").isGreaterThan(8 * number);
			assertThat(this.tallies.busy).as("busy attempts").isGreaterThan(8 * number);
			assertThat(this.tallies.renewals).as("renewals").isGreaterThan(2 * number);
			assertThat(this.tallies.handOvers).as("hand-overs").isGreaterThan(10 * number);
			assertThat(this.runs).as("ticks that ran").isGreaterThan(number);
			assertThat(this.tallies.done).as("ticks that had run").isGreaterThan(number / 2);
			assertThat(this.late).as("requests that were executed after their connection was gone")
				.isGreaterThan(number / 4);
			assertThat(this.twice).as("requests that were executed twice").isGreaterThan(number / 2);
			assertThat(this.lows).as("tokens that were too low").isGreaterThan(number / 4);
			if (trouble != Trouble.STALLS) {
				assertThat(this.recoveries).as("nodes that voted again").isGreaterThan(number);
			}
			if (trouble == Trouble.BAD_CLOCKS) {
				assertThat(this.jumps).as("jumps that were noticed").isGreaterThan(number);
			}
		}

		void assertMeaningfulForGroups(int number, Trouble trouble) {
			assertThat(this.tallies.grants).as("grants").isGreaterThan(8 * number);
			assertThat(this.tallies.members).as("grants to members").isGreaterThan(6 * number);
			assertThat(this.tallies.busy).as("busy attempts").isGreaterThan(8 * number);
			assertThat(this.tallies.memberRenewals).as("renewals of members").isGreaterThan(2 * number);
			assertThat(this.tallies.forced).as("forced releases").isGreaterThan(number / 20);
			assertThat(this.lows).as("tokens that were too low").isGreaterThan(number / 4);
			assertThat(this.reinstalls).as("locks that were put back").isGreaterThan(number / 20);
			if (trouble.locksLast()) {
				assertThat(this.mostPermits).as("holders of permits at the same time").isGreaterThan(2);
			}
			if (trouble != Trouble.STALLS) {
				assertThat(this.recoveries).as("nodes that voted again").isGreaterThan(number / 2);
			}
		}

		void assertMeaningfulForSets(int number) {
			assertThat(this.tallies.sets).as("grants of several keys").isGreaterThan(4 * number);
			assertThat(this.tallies.grants - this.tallies.sets).as("grants of one key").isGreaterThan(number);
			assertThat(this.tallies.members).as("grants to members").isGreaterThan(2 * number);
			assertThat(this.tallies.busy).as("busy attempts").isGreaterThan(4 * number);
			assertThat(this.tallies.renewals).as("renewals").isGreaterThan(number);
			assertThat(this.lows).as("tokens that were too low").isGreaterThan(number / 4);
		}

		@Override
		public String toString() {
			return this.histories + " histories, " + this.events + " events, " + this.tallies.attempts + " attempts, "
					+ this.tallies.grants + " grants, " + this.tallies.busy + " busy, " + this.tallies.unavailable
					+ " unavailable, " + this.tallies.done + " done, " + this.runs + " ticks run, "
					+ this.tallies.renewals + " renewals, " + this.tallies.handOvers + " hand-overs, " + this.recoveries
					+ " recoveries, " + this.reinstalls + " locks put back, " + this.late + " late requests, "
					+ this.twice + " twice, " + this.acks + " acks, " + this.lows + " lows, " + this.jumps
					+ " clock jumps noticed, " + this.tallies.members + " grants to members, "
					+ this.tallies.memberRenewals + " renewals of members, " + this.tallies.forced
					+ " forced releases, " + this.tallies.sets + " grants of several keys, at most " + this.mostPermits
					+ " permits at once";
		}

	}

}
