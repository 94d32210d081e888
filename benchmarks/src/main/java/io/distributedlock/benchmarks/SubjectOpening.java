package io.distributedlock.benchmarks;

import java.util.function.Function;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Side;

/**
 * Opens this project's side of a store. Created by name, in the class loader of a build.
 */
public final class SubjectOpening implements Function<Address, Side> {

	@Override
	public Side apply(Address address) {
		return Stores.named(address.store()).contestant(Contestant.SUBJECT).open(address);
	}

}
