package io.distributedlock.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.contest.Work;

/**
 * A store on which other builds of this project take part instead of other libraries.
 *
 * @param store the store
 * @param builds the classes of each build
 */
record ComparedBuilds(Store store, List<Path> builds) implements Store {

	@Override
	public String name() {
		return this.store.name();
	}

	@Override
	public Optional<String> missing() {
		return this.store.missing();
	}

	@Override
	public Address start() {
		return this.store.start();
	}

	@Override
	public List<Contestant> contestants() {
		List<Contestant> contestants = new ArrayList<>(
				List.of(this.store.contestant(Contestant.BARE), this.store.contestant(Contestant.SUBJECT)));
		for (int i = 0; i < this.builds.size(); i++) {
			contestants.add(new Contestant("build " + (i + 1), Work.BUILD, BuildLoader.subjectOf(this.builds.get(i))));
		}
		return contestants;
	}

}
