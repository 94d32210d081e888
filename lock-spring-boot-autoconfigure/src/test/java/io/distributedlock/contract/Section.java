package io.distributedlock.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.spi.TokenRange;

/**
 * The critical section under a lock, and the faults that were found in it.
 */
final class Section {

	private final String key;

	private final AtomicInteger inside = new AtomicInteger();

	private final Queue<TokenRange> grants = new ConcurrentLinkedQueue<>();

	private final Queue<String> broken = new ConcurrentLinkedQueue<>();

	// Volatile for visibility alone: without the lock, updates get lost.
	private volatile long visits;

	Section(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

	/**
	 * Return whether each section was entered.
	 */
	static boolean areAllGranted(List<Section> sections) {
		return sections.stream().noneMatch((section) -> section.grants.isEmpty());
	}

	long visits() {
		return this.visits;
	}

	void enter(TokenRange tokens) {
		expect(this.inside.incrementAndGet() == 1, "two holders at a time");
		this.grants.add(tokens);
		long seen = this.visits;
		Thread.yield();
		this.visits = seen + 1;
	}

	void leave() {
		this.inside.decrementAndGet();
	}

	void expect(boolean condition, String otherwise) {
		if (!condition) {
			this.broken.add(otherwise);
		}
	}

	List<String> failures() {
		List<TokenRange> ordered = new ArrayList<>(this.grants);
		List<String> failures = new ArrayList<>(this.broken.stream().distinct().toList());
		for (int i = 1; i < ordered.size(); i++) {
			if (ordered.get(i).first() <= ordered.get(i - 1).last()) {
				failures.add("tokens out of order: " + ordered.get(i - 1) + " before " + ordered.get(i));
				break;
			}
		}
		if (ordered.isEmpty()) {
			failures.add("the lock was never granted");
		}
		if (this.visits != ordered.size()) {
			failures.add(ordered.size() + " grants, but " + this.visits + " counted");
		}
		return failures;
	}

}
