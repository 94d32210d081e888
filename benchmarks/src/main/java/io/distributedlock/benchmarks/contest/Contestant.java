package io.distributedlock.benchmarks.contest;

import java.util.function.Function;

/**
 * A way to lock on a store that can be measured.
 *
 * @param name the name in tables
 * @param work how much it does for each lock
 * @param opening creates a side for a running store
 */
public record Contestant(String name, Work work, Function<Address, Side> opening) {

	/**
	 * The name of the bare commands.
	 */
	public static final String BARE = "bare commands";

	/**
	 * The name of this project's locks.
	 */
	public static final String SUBJECT = "this project";

	public static Contestant bare(Function<Address, Side> opening) {
		return new Contestant(BARE, Work.BARE, opening);
	}

	/**
	 * Return this project's locks.
	 * @param settings the properties of an application for a store, as {@code name=value}
	 * @return the contestant
	 */
	public static Contestant subject(Function<Address, String[]> settings) {
		return new Contestant(SUBJECT, Work.SUBJECT, (address) -> SubjectSide.start(settings.apply(address)));
	}

	public static Contestant same(String name, Function<Address, Side> opening) {
		return new Contestant(name, Work.SAME, opening);
	}

	public static Contestant less(String name, Function<Address, Side> opening) {
		return new Contestant(name, Work.LESS, opening);
	}

	/**
	 * Create a side.
	 * @param address where the store listens
	 * @return the side, to be closed by the caller
	 */
	public Side open(Address address) {
		return this.opening.apply(address);
	}

}
