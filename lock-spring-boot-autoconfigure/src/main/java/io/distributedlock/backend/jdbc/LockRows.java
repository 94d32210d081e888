package io.distributedlock.backend.jdbc;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockKeys;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

/**
 * The rows of several locks that a request takes together. A lock without a row is free.
 *
 * @param keys the keys, in their order
 * @param rows the rows that were found, by their keys
 */
record LockRows(List<String> keys, Map<String, LockRow> rows) implements LockState {

	@Override
	public boolean isGrantedTo(OwnerId owner) {
		return this.keys.stream().allMatch((key) -> {
			LockRow row = this.rows.get(key);
			return row != null && row.isGrantedTo(owner);
		});
	}

	@Override
	public List<TokenRange> tokens(LeaseRequest request) {
		return this.keys.stream().map(this::found).flatMap((row) -> row.tokens(request).stream()).toList();
	}

	@Override
	public boolean isKnown() {
		return this.rows.values().stream().allMatch(LockRow::isKnown);
	}

	@Override
	public LockUnavailableException unknown(LockTarget target, String table) {
		String first = this.keys.stream()
			.filter((key) -> this.rows.containsKey(key) && !found(key).isKnown())
			.findFirst()
			.orElseThrow();
		return LockRow.unknown(first, table, found(first).form());
	}

	private LockRow found(String key) {
		return Objects.requireNonNull(this.rows.get(key), key);
	}

	/**
	 * Return whether the tick, which belongs to the last key, has run.
	 */
	@Override
	public boolean hasRun(@Nullable Instant asked) {
		LockRow row = last();
		return row != null && row.hasRun(asked);
	}

	@Override
	public @Nullable Long tick() {
		LockRow row = last();
		return (row != null) ? row.tick() : null;
	}

	private @Nullable LockRow last() {
		return this.rows.get(this.keys.get(this.keys.size() - 1));
	}

	@Override
	public boolean isOwnerless() {
		return this.rows.values().stream().anyMatch(LockRow::isOwnerless);
	}

	/**
	 * Return the longest rest. Until then not all locks are free, unless one is released.
	 */
	@Override
	public long rest() {
		return this.rows.values().stream().mapToLong(LockRow::rest).max().orElse(0);
	}

	@Override
	public long age() {
		return this.rows.values().stream().max(Comparator.comparingLong(LockRow::rest)).map(LockRow::age).orElse(0L);
	}

	@Override
	public String toString() {
		return new TreeMap<>(this.rows).entrySet()
			.stream()
			.map((entry) -> LockKeys.printable(entry.getKey()) + "=" + entry.getValue())
			.collect(Collectors.joining(", ", "LockRows[", "]"));
	}

}
