package io.distributedlock.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRequest;

/**
 * Bounds the number of different names of locks in tags. The first names keep their own
 * tag, and all later ones share {@value #OTHER}.
 *
 * @since 0.1.0
 */
public final class LockNameTags {

	/**
	 * The tag of requests without a name.
	 */
	public static final String NONE = "none";

	/**
	 * The tag of names beyond the bound.
	 */
	public static final String OTHER = "other";

	private final int maxNames;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final AtomicInteger count = new AtomicInteger();

	/**
	 * Create tags.
	 * @param maxNames the greatest number of names that have a tag of their own
	 */
	public LockNameTags(int maxNames) {
		this.maxNames = maxNames;
	}

	/**
	 * Return the tag of a request.
	 * @param request the request
	 * @return the tag
	 */
	public String of(LockRequest request) {
		return of(request.getName());
	}

	/**
	 * Return the tag of a name.
	 * @param name the name, if there is one
	 * @return the tag
	 */
	public String of(@Nullable String name) {
		if (name == null || name.isBlank()) {
			return NONE;
		}
		if (this.names.contains(name)) {
			return name;
		}
		return isAdmitted(name) ? name : OTHER;
	}

	/**
	 * Reserve a place before the name is added, so that the bound holds for names that
	 * arrive at the same time.
	 */
	private boolean isAdmitted(String name) {
		if (this.count.get() >= this.maxNames) {
			// It may have been admitted since it was looked up.
			return this.names.contains(name);
		}
		if (this.count.incrementAndGet() > this.maxNames) {
			this.count.decrementAndGet();
			return this.names.contains(name);
		}
		if (!this.names.add(name)) {
			this.count.decrementAndGet();
		}
		return true;
	}

}
