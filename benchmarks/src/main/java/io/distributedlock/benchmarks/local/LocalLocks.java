package io.distributedlock.benchmarks.local;

import java.util.List;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;

/**
 * The memory of this JVM.
 */
public final class LocalLocks implements Store {

	/**
	 * The name in tables.
	 */
	public static final String NAME = "local";

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public Address start() {
		return new Address(NAME, List.of());
	}

	@Override
	public List<Contestant> contestants() {
		return List.of(Contestant.bare((address) -> new FairLocks()),
				Contestant.subject((address) -> new String[] { "lock.backend=local" }));
	}

}
