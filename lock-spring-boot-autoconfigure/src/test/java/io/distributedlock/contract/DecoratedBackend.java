package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.NodeStatus;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SessionStatus;
import io.distributedlock.spi.SeveralKeys;

/**
 * A client with its current connection, which delegates all calls. Tests call the store
 * through it, and subclasses override calls. There is one connection at a time.
 *
 * @since 0.1.0
 */
public class DecoratedBackend implements LockBackend, BackendConnection {

	private final LockBackend delegate;

	// Set by connect() and close(), which tests call in order; read by every call.
	private volatile @Nullable BackendConnection connection;

	/**
	 * Create a decorator.
	 * @param delegate the client to delegate to
	 */
	public DecoratedBackend(LockBackend delegate) {
		this.delegate = delegate;
	}

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public @Nullable String address() {
		return this.delegate.address();
	}

	@Override
	public BackendTraits traits() {
		return this.delegate.traits();
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		this.connection = this.delegate.connect(listener);
		return this;
	}

	@Override
	public void close() {
		BackendConnection open = this.connection;
		this.connection = null;
		if (open != null) {
			open.close();
		}
	}

	/**
	 * Return the client that this one delegates to.
	 * @return the client
	 */
	public LockBackend delegate() {
		return this.delegate;
	}

	/**
	 * Return whether this client is connected.
	 * @return whether it is
	 */
	public boolean isConnected() {
		return this.connection != null;
	}

	/**
	 * Return the connection of the delegate.
	 * @return the connection
	 */
	protected final BackendConnection connection() {
		BackendConnection open = this.connection;
		if (open == null) {
			throw new IllegalStateException("The client of the test is not connected");
		}
		return open;
	}

	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return connection().severalKeys(target);
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return contender(target, connection().contend(target, wakeUp));
	}

	/**
	 * Wrap a contender. By default its attempts call
	 * {@link #attempt(LockTarget, LeaseRequest, Function)}.
	 * @param target the target
	 * @param contender the contender of the delegate
	 * @return the contender
	 */
	protected Contender contender(LockTarget target, Contender contender) {
		return new Contender() {

			@Override
			public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
				return DecoratedBackend.this.attempt(target, request, contender::attempt);
			}

			@Override
			public void withdraw() {
				contender.withdraw();
			}

		};
	}

	/**
	 * Make an attempt.
	 * @param target the target
	 * @param request the request
	 * @param attempt makes it at the delegate
	 * @return the outcome
	 */
	protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
			Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
		return attempt.apply(request);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return connection().wakesContenders(target);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return connection().renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return connection().release(grant, cooldown);
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return connection().abandon(orphans);
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return connection().find(key);
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return connection().list(next, limit);
	}

	@Override
	public List<NodeStatus> nodes() {
		return connection().nodes();
	}

	@Override
	public @Nullable SessionStatus session() {
		return connection().session();
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return connection().forceRelease(key, cooldown);
	}

}
