package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.function.Supplier;

import io.etcd.jetcd.Client;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Keeps locks in etcd. A majority of the members has to agree to each lock.
 * <p>
 * A lock is held by the first entry in its queue. Acquisition is one transaction and
 * release one request, and waiters are served in the order in which they entered the
 * queue, over all JVMs. Fencing tokens come from the revisions of etcd's log and grow
 * strictly for as long as etcd keeps its data. An etcd that is restored from a backup
 * goes back to an earlier revision.
 * <p>
 * All locks of a JVM live with its one session. While the session is kept alive, no lock
 * ends at the store by itself, whatever its TTL is. A TTL without renewal ends the lease
 * in this JVM, which then releases the lock. If the session is not confirmed in time, all
 * leases are lost at once. This happens by this JVM's own clock, before etcd may give the
 * locks to other clients.
 *
 * @since 0.1.0
 */
public final class EtcdLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "etcd";

	static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_SESSION, true, true, Integer.MAX_VALUE, true,
			Duration.ofMillis(100), null, EtcdTxn.BATCH);

	private final @Nullable String user;

	private final @Nullable String address;

	private final Supplier<EtcdLinks> links;

	private final EtcdLockSettings settings;

	private final LockClock clock;

	/**
	 * Create a backend over a client of the application, which is never closed here.
	 * @param client the client
	 * @param settings the settings
	 * @param clock the clock of this JVM
	 */
	public EtcdLockBackend(Client client, EtcdLockSettings settings, LockClock clock) {
		this(null, null, settings, clock,
				() -> new EtcdLinks(() -> JetcdLink.to(client), false, clock, settings.callTimeout()));
	}

	/**
	 * Create a backend with a client of its own for each connection, which is closed with
	 * it. A client that gets no answers for a while is replaced by another one, since it
	 * would wait ever longer before it reconnects.
	 * @param clients creates the client, without waiting for a connection
	 * @param user the user of these clients, for messages; {@code null} if there is none
	 * @param address the address of the members, for messages; {@code null} if it is not
	 * known
	 * @param settings the settings
	 * @param clock the clock of this JVM
	 */
	public EtcdLockBackend(Supplier<Client> clients, @Nullable String user, @Nullable String address,
			EtcdLockSettings settings, LockClock clock) {
		this(user, address, settings, clock,
				() -> new EtcdLinks(() -> JetcdLink.owning(clients.get()), true, clock, settings.callTimeout()));
	}

	EtcdLockBackend(@Nullable String user, @Nullable String address, EtcdLockSettings settings, LockClock clock,
			Supplier<EtcdLinks> links) {
		this.user = user;
		this.address = address;
		this.links = links;
		this.settings = settings;
		this.clock = clock;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public @Nullable String address() {
		return this.address;
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new EtcdStoreConnection(this.links.get(), this.user, this.settings, this.clock, listener);
	}

}
