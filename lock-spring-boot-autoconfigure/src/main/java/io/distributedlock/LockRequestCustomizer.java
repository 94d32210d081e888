package io.distributedlock;

/**
 * Changes requests before they are sent; for example the ttl of all locks of one name, or
 * the backend that they go to. Asked once for each call, also for one that re-enters.
 * Beans of this type are asked in their order, for annotated methods, the template and
 * the registry alike.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockRequestCustomizer {

	/**
	 * Return the request to send instead.
	 * @param request the request as it was made; its {@linkplain LockRequest#getName()
	 * name} tells whose it is
	 * @return the request to send, the same one where nothing is to change
	 */
	LockRequest customize(LockRequest request);

}
