package io.distributedlock;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Gives running code access to the lease that it runs under. That is the lease of the
 * innermost annotated method, {@code execute…} or Spring Integration {@code Lock} that is
 * open on this thread. It may have re-entered the lease of an outer one. Leases from
 * {@code acquire}, {@code tryAcquire} and asynchronous calls are separate handles and are
 * not visible here.
 *
 * @since 0.1.0
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable Binding> INNERMOST = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the lease of the innermost scope of this thread.
	 * @return the lease, held or lost
	 * @throws IllegalStateException if no scope is open on this thread
	 */
	public static Lease current() {
		return find().orElseThrow(() -> new IllegalStateException("No lock is held by the running code"
				+ " (was the locked method called through 'this', or on another thread?)"));
	}

	/**
	 * Return the lease of the innermost scope of this thread that covers a key, on any
	 * backend. If the key is locked on several backends, the innermost lock counts.
	 * @param key the key
	 * @return the lease, held or lost
	 * @throws IllegalStateException if no scope for the key is open on this thread
	 */
	public static Lease current(String key) {
		for (Binding binding = INNERMOST.get(); binding != null; binding = binding.outer) {
			if (binding.lease.keys().contains(key)) {
				return binding.lease;
			}
		}
		throw new IllegalStateException("No lock on '" + LockKeys.printable(key) + "' is held by the running code"
				+ " (was the locked method called through 'this', or on another thread?)");
	}

	/**
	 * Return the lease of the innermost scope of this thread.
	 * @return the lease, held or lost, or empty if no scope is open
	 */
	public static Optional<Lease> find() {
		return Optional.ofNullable(INNERMOST.get()).map((binding) -> binding.lease);
	}

	/**
	 * Check by local knowledge that the running code is inside a lock whose lease is
	 * held.
	 * @throws IllegalStateException if no scope is open on this thread
	 * @throws LeaseLostException if the lease was lost
	 */
	public static void assertHeld() {
		assertHeld(current());
	}

	/**
	 * Check by local knowledge that the running code is inside a lock on a key whose
	 * lease is held.
	 * @param key the key
	 * @throws IllegalStateException if no scope for the key is open on this thread
	 * @throws LeaseLostException if the lease was lost
	 */
	public static void assertHeld(String key) {
		assertHeld(current(key));
	}

	private static void assertHeld(Lease lease) {
		if (!lease.isHeld()) {
			String key = lease.keys().get(0);
			throw new LeaseLostException(key, LossReason.EXPIRED, "The lease on '" + key + "' is no longer held");
		}
	}

	/**
	 * Make a lease visible on this thread until the binding is closed. For code that
	 * opens scopes or propagates them to other threads. The lease can only be
	 * <em>read</em>; a binding never allows re-entry.
	 * @param lease the lease
	 * @return the binding, to be closed on the same thread; bindings may be closed in any
	 * order
	 */
	public static Binding bind(Lease lease) {
		Binding binding = new Binding(lease, INNERMOST.get());
		INNERMOST.set(binding);
		return binding;
	}

	/**
	 * Run a body with a lease that is visible through {@link LockContext} on this thread
	 * until the body has ended. For unit tests of code that asks for its lease. No lock
	 * is taken, and the body never re-enters the lease.
	 * @param lease the lease, released by the caller if at all
	 * @param body the body
	 * @param <X> the checked exception that the body may throw
	 * @throws X if the body fails
	 */
	public static <X extends Throwable> void runWith(Lease lease, LeaseAction<X> body) throws X {
		try (Binding binding = bind(lease)) {
			body.run(binding.lease);
		}
	}

	/**
	 * Run a body that returns a value as {@link #runWith} does.
	 * @param lease the lease, released by the caller if at all
	 * @param body the body
	 * @param <T> the type of the value
	 * @param <X> the checked exception that the body may throw
	 * @return the value
	 * @throws X if the body fails
	 */
	public static <T extends @Nullable Object, X extends Throwable> T callWith(Lease lease, LeaseFunction<T, X> body)
			throws X {
		try (Binding binding = bind(lease)) {
			return body.apply(binding.lease);
		}
	}

	/**
	 * A lease that is visible on a thread.
	 */
	public static final class Binding implements AutoCloseable {

		private final Lease lease;

		// Confined to the thread that made the binding, as the whole chain is.
		private @Nullable Binding outer;

		private Binding(Lease lease, @Nullable Binding outer) {
			this.lease = lease;
			this.outer = outer;
		}

		/**
		 * End this binding. Other bindings of the thread remain; a second call has no
		 * effect.
		 */
		@Override
		public void close() {
			Binding inner = null;
			for (Binding binding = INNERMOST.get(); binding != null; binding = binding.outer) {
				if (binding == this) {
					unlink(inner);
					return;
				}
				inner = binding;
			}
		}

		private void unlink(@Nullable Binding inner) {
			if (inner != null) {
				inner.outer = this.outer;
			}
			else if (this.outer != null) {
				INNERMOST.set(this.outer);
			}
			else {
				INNERMOST.remove();
			}
		}

	}

}
