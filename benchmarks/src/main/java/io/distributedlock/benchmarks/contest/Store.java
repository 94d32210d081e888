package io.distributedlock.benchmarks.contest;

import java.util.List;
import java.util.Optional;

/**
 * A store and everything that is measured on it.
 */
public interface Store {

	/**
	 * Return the name in tables, for example {@code Redis}.
	 * @return the name
	 */
	String name();

	/**
	 * Return what the store needs and this machine lacks, for example a program.
	 * @return the reason why the store is left out; empty if it can start
	 */
	default Optional<String> missing() {
		return Optional.empty();
	}

	/**
	 * Start the servers, or return those that run already. They end with this JVM.
	 * @return where they listen
	 */
	Address start();

	/**
	 * Return who takes part.
	 * @return the bare commands first, then this project, then other libraries
	 */
	List<Contestant> contestants();

	/**
	 * Return a contestant.
	 * @param name its name
	 * @return the contestant
	 */
	default Contestant contestant(String name) {
		return contestants().stream().filter((contestant) -> contestant.name().equals(name)).findFirst().orElseThrow();
	}

}
