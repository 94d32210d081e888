package io.distributedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Describes what to lock, and how. Requests are immutable: each method that sets an
 * option returns a changed copy. Options that are not set have their configured defaults.
 *
 * @since 0.1.0
 */
public final class LockRequest {

	private static final int MAX_KEY_LENGTH = 255;

	private static final Duration MIN_TTL = Duration.ofMillis(100);

	/**
	 * The longest TTL, minimum hold, maximum hold and extension of a lease: 3,650 days.
	 */
	public static final Duration MAX_HOLD_TIME = Duration.ofDays(3650);

	private final List<String> keys;

	private final LockRequestOptions options;

	private LockRequest(List<String> keys, LockRequestOptions options) {
		this.keys = keys;
		this.options = options;
	}

	/**
	 * Request one key.
	 * @param key the whole key: not blank, at most 255 code points, valid Unicode
	 * @return the request
	 * @throws InvalidLockRequestException if the key is not valid
	 */
	public static LockRequest of(String key) {
		return new LockRequest(List.of(requireValidKey(key)), LockRequestOptions.NONE);
	}

	/**
	 * Request several keys, which are acquired all or not at all. The lease covers all of
	 * them, with a fencing token for each. If one of them is lost, the lease is lost, and
	 * the others are given back. The library takes keys in the same order for every
	 * request, so requests never wait for each other in a circle. Nested requests can
	 * still do so until their wait time is over.
	 * @param keys the keys, at least one, each as for {@link #of(String)}; equal ones
	 * count once
	 * @return the request
	 * @throws InvalidLockRequestException if there is no key, or one is not valid
	 */
	public static LockRequest of(Collection<String> keys) {
		if (keys == null || keys.isEmpty()) {
			throw new InvalidLockRequestException("A lock request needs at least one key");
		}
		keys.forEach(LockRequest::requireValidKey);
		return new LockRequest(keys.stream().distinct().sorted(LockRequest::compareCodePoints).toList(),
				LockRequestOptions.NONE);
	}

	/**
	 * Compare by code points, as the bytes of UTF-8 do. The order of strings differs for
	 * characters beyond the first 65,536, and stores may compare bytes.
	 */
	private static int compareCodePoints(String one, String other) {
		return Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());
	}

	private static String requireValidKey(@Nullable String key) {
		if (key == null) {
			throw new InvalidLockRequestException("The key of a lock must not be null");
		}
		if (key.isBlank()) {
			throw new InvalidLockRequestException("The key of a lock must not be blank, but is '" + key + "'");
		}
		int length = key.codePointCount(0, key.length());
		if (length > MAX_KEY_LENGTH) {
			throw new InvalidLockRequestException("The key of a lock must have at most " + MAX_KEY_LENGTH
					+ " code points, but this one has " + length + ": '" + key.substring(0, 40) + "…'");
		}
		requireValidUnicode(key);
		return key;
	}

	private static void requireValidUnicode(String key) {
		for (int i = 0; i < key.length(); i++) {
			if (Character.isSurrogate(key.charAt(i))) {
				int codePoint = key.codePointAt(i);
				if (!Character.isSupplementaryCodePoint(codePoint)) {
					throw new InvalidLockRequestException("The key of a lock must be valid Unicode, but this one has an"
							+ " unpaired surrogate U+" + Integer.toHexString(codePoint).toUpperCase(Locale.ROOT));
				}
				i++;
			}
		}
	}

	/**
	 * Set how long the backend keeps the lease without renewal.
	 * @param ttl the TTL, at least 100 ms
	 * @return the changed request
	 */
	public LockRequest ttl(Duration ttl) {
		requireRange("ttl", ttl, MIN_TTL);
		return with(this.options.withTtl(ttl));
	}

	/**
	 * Set the upper bound of the time to wait for the lock.
	 * @param waitTime the wait time; zero is exactly one attempt, and
	 * {@code ChronoUnit.FOREVER.getDuration()} waits without limit
	 * @return the changed request
	 */
	public LockRequest waitTime(Duration waitTime) {
		requireNotNegative("waitTime", waitTime);
		return with(this.options.withWaitTime(waitTime));
	}

	/**
	 * Set the minimum time for which the lock stays taken after its acquisition, even if
	 * it is released sooner.
	 * @param minHold the minimum hold; may be longer than the TTL
	 * @return the changed request
	 */
	public LockRequest minHold(Duration minHold) {
		requireRange("minHold", minHold, Duration.ZERO);
		return with(this.options.withMinHold(minHold));
	}

	/**
	 * Set the time after which renewal stops. A lease that reaches it is lost.
	 * @param maxHold the maximum hold, at least 100 ms
	 * @return the changed request
	 */
	public LockRequest maxHold(Duration maxHold) {
		requireRange("maxHold", maxHold, MIN_TTL);
		return with(this.options.withMaxHold(maxHold));
	}

	/**
	 * Let the lease expire after its TTL instead of renewing it.
	 * @return the changed request
	 */
	public LockRequest withoutRenewal() {
		return with(this.options.withRenew(false));
	}

	/**
	 * Share the keys with other shared leases. Shared leases never overlap with exclusive
	 * ones.
	 * @return the changed request
	 * @throws InvalidLockRequestException if the request has permits or a tick
	 */
	public LockRequest shared() {
		if (this.options.mode() == LockMode.PERMITS) {
			throw invalid("can't have permits and be shared");
		}
		return with(this.options.withShared());
	}

	/**
	 * Let as many leases share the key at a time. The number is not stored: a lease is
	 * granted if fewer than <em>its own</em> number of others exist. So the number can
	 * change from one request to the next, and while requests disagree, the greatest one
	 * counts. Leases with permits never overlap with exclusive or shared ones, not even
	 * if the number is one.
	 * @param permits how many leases at a time, at least one
	 * @return the changed request
	 * @throws InvalidLockRequestException if the number is not valid, or if the request
	 * has several keys, is shared or fenced, or has a tick
	 */
	public LockRequest permits(int permits) {
		if (permits < 1) {
			throw invalid("needs at least one permit, not " + permits);
		}
		if (this.options.mode() == LockMode.SHARED) {
			throw invalid("can't be shared and have permits");
		}
		return with(this.options.withPermits(permits));
	}

	/**
	 * Require a backend with strictly growing fencing tokens.
	 * @return the changed request
	 */
	public LockRequest fenced() {
		return with(this.options.withFenced(true));
	}

	/**
	 * Set the name under which metrics, events and customizers know the request. It is
	 * not part of the key.
	 * @param name the name, not blank
	 * @return the changed request
	 */
	public LockRequest name(String name) {
		if (name == null || name.isBlank()) {
			throw new InvalidLockRequestException("The name of a lock request must not be blank");
		}
		return with(this.options.withName(name));
	}

	/**
	 * Choose one of several configured backends. If no backend has this name, the call
	 * that uses the request throws an {@link InvalidLockRequestException}.
	 * @param backend its name in {@code lock.backends}, not blank
	 * @return the changed request
	 */
	public LockRequest backend(String backend) {
		if (backend == null || backend.isBlank()) {
			throw new InvalidLockRequestException("The backend of a lock request must not be blank");
		}
		return with(this.options.withBackend(backend));
	}

	/**
	 * Request the single run of a tick. The lease is granted only if no lease with this
	 * or a later tick was granted for the key before, in the whole cluster.
	 * @param tick the instant that the schedule computed for the run
	 * @return the changed request
	 */
	public LockRequest tick(Instant tick) {
		return with(this.options.withTick(Objects.requireNonNull(tick, "tick")));
	}

	/**
	 * Return the keys to lock.
	 * @return at least one key, in the order in which they are taken
	 */
	public List<String> getKeys() {
		return this.keys;
	}

	/**
	 * Return the requested TTL.
	 * @return the TTL, or {@code null} for the default
	 */
	public @Nullable Duration getTtl() {
		return this.options.ttl();
	}

	/**
	 * Return the requested wait time.
	 * @return the wait time, or {@code null} for the default of the method that is called
	 */
	public @Nullable Duration getWaitTime() {
		return this.options.waitTime();
	}

	/**
	 * Return the requested minimum hold.
	 * @return the minimum hold, or {@code null} for none
	 */
	public @Nullable Duration getMinHold() {
		return this.options.minHold();
	}

	/**
	 * Return the requested maximum hold.
	 * @return the maximum hold, or {@code null} for the default
	 */
	public @Nullable Duration getMaxHold() {
		return this.options.maxHold();
	}

	/**
	 * Return whether the lease is renewed.
	 * @return whether it is renewed
	 */
	public boolean isRenewed() {
		return this.options.renew();
	}

	/**
	 * Return whether strictly growing tokens are required.
	 * @return whether they are required
	 */
	public boolean isFenced() {
		return this.options.fenced();
	}

	/**
	 * Return how the key is shared.
	 * @return the mode
	 */
	public LockMode getMode() {
		return this.options.mode();
	}

	/**
	 * Return how many leases may share the key.
	 * @return the number, or {@code null} unless the mode is {@link LockMode#PERMITS}
	 */
	public @Nullable Integer getPermits() {
		return this.options.permits();
	}

	/**
	 * Return the name under which metrics, events and customizers know the request.
	 * @return the name, or {@code null} for none
	 */
	public @Nullable String getName() {
		return this.options.name();
	}

	/**
	 * Return the chosen backend.
	 * @return its name, or {@code null} for the default
	 */
	public @Nullable String getBackend() {
		return this.options.backend();
	}

	/**
	 * Return the tick whose single run is requested.
	 * @return the tick, or {@code null} for an ordinary lock
	 */
	public @Nullable Instant getTick() {
		return this.options.tick();
	}

	private LockRequest with(LockRequestOptions changed) {
		if (changed.mode() == LockMode.PERMITS) {
			if (this.keys.size() > 1) {
				throw invalid("can't have permits: only one key can");
			}
			if (changed.fenced()) {
				throw invalid("can't have permits and be fenced: a guard would reject an older holder whose lease is"
						+ " still valid");
			}
		}
		if (changed.tick() != null && changed.mode() != LockMode.EXCLUSIVE) {
			throw invalid("can't have a tick and the mode " + changed.mode() + ": a tick has a single run");
		}
		return new LockRequest(this.keys, changed);
	}

	private InvalidLockRequestException invalid(String what) {
		return new InvalidLockRequestException("The lock on " + this.keys + " " + what);
	}

	private void requireNotNegative(String what, Duration duration) {
		if (duration == null) {
			throw new InvalidLockRequestException("The " + what + " of the lock on " + this.keys + " must not be null");
		}
		if (duration.isNegative()) {
			throw new InvalidLockRequestException(
					"The " + what + " of the lock on " + this.keys + " must not be negative, but is " + duration);
		}
	}

	private void requireRange(String what, Duration duration, Duration least) {
		requireNotNegative(what, duration);
		if (duration.compareTo(least) < 0 || duration.compareTo(MAX_HOLD_TIME) > 0) {
			throw new InvalidLockRequestException("The " + what + " of the lock on " + this.keys + " must be between "
					+ least.toMillis() + " ms and " + MAX_HOLD_TIME.toDays() + " days, but is " + duration);
		}
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockRequest that && this.keys.equals(that.keys) && this.options.equals(that.options);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.keys, this.options);
	}

	@Override
	public String toString() {
		return LockKeys.printable("LockRequest" + this.keys + this.options);
	}

}
