package io.distributedlock.benchmarks.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Something for each of several names, in their order.
 *
 * @param <T> what each name has
 */
public final class ByName<T> {

	private final Map<String, T> values = new LinkedHashMap<>();

	public void put(String name, T value) {
		this.values.put(name, value);
	}

	/**
	 * Return what a name has.
	 * @param name the name
	 * @return what was put
	 * @throws IllegalArgumentException if nothing was put for this name
	 */
	public T of(String name) {
		T found = this.values.get(name);
		if (found == null) {
			throw new IllegalArgumentException("There is no '" + name + "', only " + this.values.keySet());
		}
		return found;
	}

	public Set<String> names() {
		return this.values.keySet();
	}

}
