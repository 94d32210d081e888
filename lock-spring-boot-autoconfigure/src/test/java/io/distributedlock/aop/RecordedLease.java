package io.distributedlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;

/**
 * A lease whose loss a test triggers.
 */
public class RecordedLease implements Lease {

	private final LockRequest request;

	private final List<Consumer<? super Lease>> listeners = new CopyOnWriteArrayList<>();

	private volatile boolean held = true;

	public RecordedLease(LockRequest request) {
		this.request = request;
	}

	public void lose() {
		this.held = false;
		this.listeners.forEach((listener) -> listener.accept(this));
	}

	@Override
	public String key() {
		return this.request.getKeys().get(0);
	}

	@Override
	public List<String> keys() {
		return this.request.getKeys();
	}

	@Override
	public long fencingToken() {
		return 1;
	}

	@Override
	public long fencingToken(String key) {
		return 1;
	}

	@Override
	public boolean isHeld() {
		return this.held;
	}

	@Override
	public Duration remaining() {
		return Duration.ofSeconds(1);
	}

	@Override
	public void verify() {
	}

	@Override
	public void extend(Duration atLeast) {
	}

	@Override
	public void onLost(Consumer<? super Lease> listener) {
		this.listeners.add(listener);
	}

	@Override
	public boolean release() {
		return this.held;
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return CompletableFuture.completedFuture(release());
	}

	@Override
	public void close() {
		release();
	}

}
