package io.distributedlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The stores that the properties name.
 *
 * @param backend the value of {@code lock.backend}, or {@code null}
 * @param backends the value of {@code lock.backends}, empty if it is not set
 */
record ConfiguredStores(@Nullable String backend, List<String> backends) {

	private static final String BACKEND = "lock.backend";

	private static final String BACKENDS = "lock.backends";

	ConfiguredStores {
		backend = StringUtils.hasText(backend) ? backend : null;
		backends = backends.stream().filter(StringUtils::hasText).distinct().toList();
	}

	static ConfiguredStores of(Environment environment) {
		Binder binder = Binder.get(environment);
		return new ConfiguredStores(binder.bind(BACKEND, String.class).orElse(null),
				binder.bind(BACKENDS, Bindable.listOf(String.class)).orElseGet(List::of));
	}

	/**
	 * Return whether any store is named.
	 */
	boolean isAny() {
		return this.backend != null || !this.backends.isEmpty();
	}

	/**
	 * Return whether a store is named.
	 */
	boolean contains(String name) {
		return this.backends.isEmpty() ? name.equals(this.backend) : this.backends.contains(name);
	}

	/**
	 * Return the value of the {@linkplain #property() property}.
	 */
	String text() {
		return this.backends.isEmpty() ? String.valueOf(this.backend) : listed();
	}

	/**
	 * Return the property that names the stores, or would have to.
	 */
	String property() {
		return this.backends.isEmpty() ? BACKEND : BACKENDS;
	}

	/**
	 * Return the name of the default store.
	 * @return the name, or {@code null} if no store is named
	 * @throws LockStartException if the properties do not determine it
	 */
	@Nullable String standard() {
		if (this.backends.isEmpty()) {
			return this.backend;
		}
		if (this.backend == null) {
			if (this.backends.size() > 1) {
				throw new LockStartException(
						"'" + BACKENDS + "' lists several stores (" + listed()
								+ "), and nothing says which one is the default.",
						"Set '" + BACKEND + "' to one of them, for example '" + BACKEND + "=" + this.backends.get(0)
								+ "'. Requests that name no store go to that one.",
						null);
			}
			return this.backends.get(0);
		}
		if (!this.backends.contains(this.backend)) {
			throw new LockStartException(
					"'" + BACKEND + "' is '" + this.backend + "', which is not among the stores that '" + BACKENDS
							+ "' lists: " + listed() + ".",
					"Add '" + this.backend + "' to '" + BACKENDS + "', or set '" + BACKEND
							+ "' to one of those that it lists.",
					null);
		}
		return this.backend;
	}

	/**
	 * Return the names of the other stores.
	 * @throws LockStartException if the properties do not determine the default one
	 */
	List<String> further() {
		String standard = standard();
		return this.backends.stream().filter((name) -> !name.equals(standard)).toList();
	}

	private String listed() {
		return String.join(", ", this.backends);
	}

}
