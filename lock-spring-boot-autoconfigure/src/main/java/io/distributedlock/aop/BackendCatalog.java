package io.distributedlock.aop;

import java.util.Map;

import io.distributedlock.spi.BackendTraits;

/**
 * The backends of an application. Startup refuses annotations that name another backend,
 * or require a feature that theirs lacks.
 *
 * @param defaultBackend the name of the backend of annotations that name none
 * @param traits the features of each backend, by the name that annotations use
 * @since 0.1.0
 */
public record BackendCatalog(String defaultBackend, Map<String, BackendTraits> traits) {

	/**
	 * Create a catalog.
	 * @param defaultBackend the name of the backend of annotations that name none
	 * @param traits the features of each backend, with an entry for the default one
	 */
	public BackendCatalog {
		traits = Map.copyOf(traits);
		if (!traits.containsKey(defaultBackend)) {
			throw new IllegalArgumentException(
					"The default backend '" + defaultBackend + "' is not one of " + traits.keySet());
		}
	}

}
