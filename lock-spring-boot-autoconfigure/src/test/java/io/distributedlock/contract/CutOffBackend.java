package io.distributedlock.contract;

import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * A client with a connection that can be cut, so that requests do not arrive, or that can
 * lose the answers to executed requests.
 *
 * @since 0.1.0
 */
public class CutOffBackend extends DecoratedBackend {

	private volatile boolean cutOff;

	private volatile boolean losesAnswers;

	/**
	 * Create a client that is connected.
	 * @param delegate the client to delegate to
	 */
	public CutOffBackend(LockBackend delegate) {
		super(delegate);
	}

	/**
	 * Cut or restore the connection.
	 * @param cutOff whether it is cut
	 */
	public void setCutOff(boolean cutOff) {
		this.cutOff = cutOff;
	}

	/**
	 * Return whether the connection is cut.
	 * @return whether it is cut
	 */
	public boolean isCutOff() {
		return this.cutOff;
	}

	/**
	 * Begin or stop to lose the answers to executed requests.
	 * @param losesAnswers whether they get lost
	 */
	public void setLosesAnswers(boolean losesAnswers) {
		this.losesAnswers = losesAnswers;
	}

	@Override
	protected CompletionStage<AttemptOutcome> attempt(LockTarget target, LeaseRequest request,
			Function<LeaseRequest, CompletionStage<AttemptOutcome>> attempt) {
		return send(() -> attempt.apply(request));
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return send(() -> super.renew(renewals));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return send(() -> super.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return send(() -> super.abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return send(() -> super.find(key));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return send(() -> super.list(next, limit));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return send(() -> super.forceRelease(key, cooldown));
	}

	private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> request) {
		if (this.cutOff) {
			return CompletableFuture.failedFuture(new ConnectException("The client is cut off"));
		}
		CompletionStage<T> answer = request.get();
		return this.losesAnswers ? CompletableFuture.failedFuture(new ConnectException("The answer got lost")) : answer;
	}

}
