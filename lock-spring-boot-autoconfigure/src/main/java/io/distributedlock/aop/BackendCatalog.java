package io.distributedlock.aop;

import java.util.Map;

import io.distributedlock.spi.BackendTraits;

/**
 * The backends that there are, so that the start can refuse annotations that ask for
 * another one or for what theirs does not offer.
 *
 * @param defaultBackend the name of the backend of annotations that name none
 * @param traits what each backend offers, by the name that annotations use
 * @since 0.1.0
 */
public record BackendCatalog(String defaultBackend, Map<String, BackendTraits> traits) {

	/**
	 * Create a catalog.
	 * @param defaultBackend the name of the backend of annotations that name none
	 * @param traits what each backend offers, with an entry for the default one
	 */
	public BackendCatalog {
		traits = Map.copyOf(traits);
		if (!traits.containsKey(defaultBackend)) {
			throw new IllegalArgumentException(
					"The default backend '" + defaultBackend + "' is not one of " + traits.keySet());
		}
	}

}
