package io.distributedlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * A store that grants leases, as it is set up: nothing is open before
 * {@link #connect(BackendListener)}. One instance serves one key space for all threads of
 * a JVM.
 *
 * @since 0.1.0
 */
public interface LockBackend {

	/**
	 * Return what this backend calls itself. An application knows it by the name in
	 * {@code lock.backends}, which is that of the store or of the bean; requests, events
	 * and the errors of the engine use that one.
	 * @return the name
	 */
	String name();

	/**
	 * Return where the store is, for messages: hosts and ports, without users and
	 * passwords. Sends nothing, and may be called at any time.
	 * @return the address, or {@code null} if it is not known or there is none
	 */
	default @Nullable String address() {
		return null;
	}

	/**
	 * Return what this backend can do, as far as that is known without asking the store.
	 * @return its traits, always the same
	 */
	BackendTraits traits();

	/**
	 * Connect to the store: open connections, or get ready to open them on demand. The
	 * engine connects at its start, and has at most one connection of a backend at a
	 * time; after that was closed it may connect again.
	 * @param listener receives what the connection learns about leases by itself
	 * @return the connection; the engine closes it
	 */
	BackendConnection connect(BackendListener listener);

}
