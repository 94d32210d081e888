package io.distributedlock.aop;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Turns what an expression yields into keys. What does not tell one thing from another is
 * refused: nothing at all, blank text, and the text that every object has by default.
 */
final class KeyValues {

	private KeyValues() {
	}

	/**
	 * Return the keys that a value stands for.
	 * @return at least one key
	 * @throws IllegalArgumentException with what the value is, if it is no key
	 */
	static List<String> of(@Nullable Object value) {
		List<String> keys = new ArrayList<>(1);
		collect(value, keys);
		if (keys.isEmpty()) {
			throw new IllegalArgumentException("no key at all, an empty " + describe(value));
		}
		return keys;
	}

	private static void collect(@Nullable Object value, List<String> keys) {
		if (value instanceof Optional<?> optional) {
			collect(optional.orElse(null), keys);
		}
		else if (value instanceof Iterable<?> elements && !(value instanceof Path)) {
			elements.forEach((element) -> collect(element, keys));
		}
		else if (value != null && value.getClass().isArray()) {
			for (Object element : ObjectUtils.toObjectArray(value)) {
				collect(element, keys);
			}
		}
		else {
			keys.add(text(value));
		}
	}

	private static String text(@Nullable Object value) {
		if (value == null) {
			throw new IllegalArgumentException("null, which is no key");
		}
		String text = (value instanceof Enum<?> constant) ? constant.name() : value.toString();
		if (text == null || text.isBlank()) {
			throw new IllegalArgumentException("'" + text + "', which is blank and so no key");
		}
		if (isDefaultText(value, text)) {
			throw new IllegalArgumentException("an object of " + describe(value)
					+ ", which has no text of its own; name the part of it that is the key, or give it a toString()");
		}
		return text;
	}

	private static boolean isDefaultText(Object value, String text) {
		var toString = ReflectionUtils.findMethod(value.getClass(), "toString");
		return (toString != null && toString.getDeclaringClass() == Object.class)
				|| text.equals(ObjectUtils.identityToString(value));
	}

	private static String describe(@Nullable Object value) {
		return ClassUtils.getDescriptiveType(value) + "";
	}

}
