package io.distributedlock.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRequest;

/**
 * Reads the key of a request to the endpoint. A key is a parameter of the query, because
 * paths lose empty segments, and so identify another key.
 */
final class EndpointKeys {

	private EndpointKeys() {
	}

	/**
	 * Return the key of a request.
	 * @param value the value of the parameter. In web requests its declared type is
	 * {@link Object}: a parameter that is present twice is a list, which a conversion to
	 * a text would join to another key
	 * @return the key
	 */
	static String single(Object value) {
		if (!(value instanceof String key)) {
			throw new InvalidEndpointRequestException("The parameter 'key' is not a single text",
					"Exactly one key is required");
		}
		try {
			return LockRequest.of(key).getKeys().get(0);
		}
		catch (InvalidLockRequestException ex) {
			throw new InvalidEndpointRequestException("The parameter 'key' is not valid", ex.getMessage(), ex);
		}
	}

}
