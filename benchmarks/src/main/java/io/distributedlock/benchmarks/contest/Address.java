package io.distributedlock.benchmarks.contest;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where the servers of a store listen, all on 127.0.0.1. It has a text form, so that
 * another JVM can be told.
 *
 * @param store the name of the store
 * @param ports the port of each server
 */
public record Address(String store, List<Integer> ports) {

	public static Address of(String store, int port) {
		return new Address(store, List.of(port));
	}

	/**
	 * Read the text form.
	 * @param text what {@link #toString()} returned
	 * @return the address
	 */
	public static Address parse(String text) {
		String[] parts = text.split("@", 2);
		return new Address(parts[0], Arrays.stream(parts[1].split(",")).map(Integer::valueOf).toList());
	}

	/**
	 * Return the port of the only server.
	 * @return the port
	 */
	public int port() {
		if (this.ports.size() != 1) {
			throw new IllegalStateException("There are several servers: " + this);
		}
		return this.ports.get(0);
	}

	@Override
	public String toString() {
		return this.store + "@" + this.ports.stream().map(String::valueOf).collect(Collectors.joining(","));
	}

}
