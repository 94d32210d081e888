package io.distributedlock.integration;

import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRequest;

/**
 * The text of objects that are given as keys.
 */
final class LockKeys {

	private static final List<Class<?>> WITH_MEANINGFUL_TEXT = List.of(CharSequence.class, Number.class, Boolean.class,
			Character.class, UUID.class, TemporalAccessor.class, TemporalAmount.class, ZoneId.class);

	private LockKeys() {
	}

	static String textOf(@Nullable Object key) {
		if (key == null) {
			throw new InvalidLockRequestException("The key of a lock must not be null");
		}
		if (key instanceof Enum<?> constant) {
			return constant.name();
		}
		if (WITH_MEANINGFUL_TEXT.stream().noneMatch((type) -> type.isInstance(key))) {
			// Its text might be an address in memory, another one in each JVM.
			throw new InvalidLockRequestException("The key of a lock can't be a " + key.getClass().getName()
					+ ": give a text, number, boolean, character, UUID, java.time value or enum");
		}
		return LockRequest.of(key.toString()).getKeys().get(0);
	}

}
