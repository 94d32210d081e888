package io.distributedlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * A configured store that grants leases. Connections are opened by
 * {@link #connect(BackendListener)} only. One instance serves one key space for all
 * threads of a JVM.
 *
 * @since 0.1.0
 */
public interface LockBackend {

	/**
	 * Return the backend's own name. Applications know the backend by its name in
	 * {@code lock.backends}, which is that of the store or of the bean. Requests, events
	 * and errors of the engine use the latter.
	 * @return the name
	 */
	String name();

	/**
	 * Return the address of the store for messages: hosts and ports, without users and
	 * passwords. Can be called at any time and does not send a request.
	 * @return the address, or {@code null} if it is not known or there is none
	 */
	default @Nullable String address() {
		return null;
	}

	/**
	 * Return the capabilities of this backend that are known without asking the store.
	 * @return its traits, which never change
	 */
	BackendTraits traits();

	/**
	 * Connect to the store: open connections, or prepare to open them on demand. The
	 * engine connects when it starts, and has at most one connection to a backend at a
	 * time. After closing it the engine may connect again.
	 * @param listener receives notifications of the connection about leases
	 * @return the connection; the engine closes it
	 */
	BackendConnection connect(BackendListener listener);

}
