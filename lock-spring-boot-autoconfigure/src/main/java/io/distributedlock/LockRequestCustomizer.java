package io.distributedlock;

/**
 * Changes requests before they are sent, for example the TTL of all locks with one name,
 * or their backend. Beans of this type are called in their order, once for each call of
 * an annotated method, the template or the registry, including calls that re-enter.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockRequestCustomizer {

	/**
	 * Return the request to send instead.
	 * @param request the request as it was made; its {@linkplain LockRequest#getName()
	 * name} identifies its origin
	 * @return the request to send, or the given one to leave it unchanged
	 */
	LockRequest customize(LockRequest request);

}
