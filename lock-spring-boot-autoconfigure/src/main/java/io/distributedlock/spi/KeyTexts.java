package io.distributedlock.spi;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Currency;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockKeys;

/**
 * Finds the keys that objects stand for. Every JVM has to find the same key for the same
 * object, so only objects whose text can't depend on the JVM are accepted:
 * <ul>
 * <li>single values: text, whole numbers, {@link BigDecimal}, booleans, characters, enums
 * by their name, {@link UUID}, {@link URI}, {@link Locale}, {@link Currency} and the
 * values of {@code java.time};</li>
 * <li>records of single values, {@code null}s, {@link Optional}s, records, lists and
 * ordered sets;</li>
 * <li>objects that the application converts to text.</li>
 * </ul>
 *
 * @since 0.1.0
 */
public final class KeyTexts {

	/**
	 * Finds keys without a conversion by the application.
	 */
	public static final KeyTexts PLAIN = new KeyTexts((object) -> null, "give the part of it that is the key");

	private static final List<Class<?>> SINGLE_VALUES = List.of(CharSequence.class, Boolean.class, Character.class,
			Byte.class, Short.class, Integer.class, Long.class, BigInteger.class, BigDecimal.class, UUID.class,
			URI.class, Locale.class, Currency.class, TemporalAccessor.class, TemporalAmount.class, ZoneId.class);

	private static final List<Class<?>> ORDERED = List.of(List.class, LinkedHashSet.class, SortedSet.class,
			Deque.class);

	private static final ClassValue<List<Method>> READABLE = new ClassValue<>() {

		@Override
		protected List<Method> computeValue(Class<?> type) {
			return Arrays.stream(type.getRecordComponents())
				.map(RecordComponent::getAccessor)
				.filter(Method::trySetAccessible)
				.toList();
		}

	};

	private final Function<Object, @Nullable String> conversion;

	private final String advice;

	/**
	 * Create an instance.
	 * @param conversion returns the text of an object, or {@code null} if it does not
	 * apply; not called for single values
	 * @param advice for messages: what to do if an object can't be a key
	 */
	public KeyTexts(Function<Object, @Nullable String> conversion, String advice) {
		this.conversion = conversion;
		this.advice = advice;
	}

	/**
	 * Return the keys that an object stands for. A list, an array, a deque or an ordered
	 * set has the keys of its elements, an {@link Optional} those of its value, and any
	 * other object has one key.
	 * @param object the object
	 * @return at least one key; keys are not blank
	 * @throws InvalidLockRequestException if there is no key; the message names the class
	 * of an object that can't be a key
	 */
	public List<String> keysOf(@Nullable Object object) {
		List<String> keys = new ArrayList<>(1);
		collect(object, keys);
		if (keys.isEmpty()) {
			throw new InvalidLockRequestException("no key at all, an empty " + describe(object));
		}
		return keys;
	}

	private void collect(@Nullable Object object, List<String> keys) {
		if (object instanceof String) {
			// The most frequent key.
			keys.add(keyOf(object));
		}
		else if (object instanceof Optional<?> optional) {
			collect(optional.orElse(null), keys);
		}
		else if (object != null && isArrayOfKeys(object)) {
			for (int i = 0; i < Array.getLength(object); i++) {
				collect(Array.get(object, i), keys);
			}
		}
		else if (object != null && isOrdered(object)) {
			((Iterable<?>) object).forEach((element) -> collect(element, keys));
		}
		else {
			keys.add(keyOf(object));
		}
	}

	/**
	 * Return the one key that an object stands for.
	 * @param object the object
	 * @return the key, not blank; its length is not checked here
	 * @throws InvalidLockRequestException if the object is not a key; the message names
	 * the class of the object, and the component of a record
	 */
	public String keyOf(@Nullable Object object) {
		String text = textOf(object);
		if (text.isBlank()) {
			throw new InvalidLockRequestException("'" + LockKeys.printable(text) + "', which is blank and so no key");
		}
		return text;
	}

	/**
	 * Return the text that an object contributes to a key.
	 * @param object the object
	 * @return its text, which may be blank
	 * @throws InvalidLockRequestException if it can't be part of a key
	 */
	public String textOf(@Nullable Object object) {
		if (object == null) {
			throw new InvalidLockRequestException("null, which is no key");
		}
		if (object instanceof String text) {
			return text;
		}
		if (object instanceof Enum<?> constant) {
			return constant.name();
		}
		String text = findText(object);
		if (text == null) {
			throw new InvalidLockRequestException("a " + describe(object) + " whose text is null, which is no key");
		}
		if (showsAddress(text, object)) {
			throw new InvalidLockRequestException("'" + LockKeys.printable(text) + "', the text of a "
					+ describe(object) + ", which differs between JVMs; " + this.advice);
		}
		return text;
	}

	private @Nullable String findText(Object object) {
		if (isSingleValue(object)) {
			return object.toString();
		}
		String converted = this.conversion.apply(object);
		if (converted != null) {
			return converted;
		}
		if (!object.getClass().isRecord()) {
			throw refused(object, "");
		}
		return textOfRecord(object, object.getClass().getSimpleName());
	}

	private static boolean isSingleValue(Object object) {
		return SINGLE_VALUES.stream().anyMatch((type) -> type.isInstance(object));
	}

	private static boolean isOrdered(Object object) {
		return ORDERED.stream().anyMatch((type) -> type.isInstance(object));
	}

	/**
	 * Return whether objects of a type stand for several keys, regardless of their
	 * elements.
	 * @param type the declared type of a value
	 * @return whether it is an array, a list, a deque, an ordered set or a collection of
	 * any kind
	 */
	public static boolean standsForSeveralKeys(Class<?> type) {
		if (type.isArray()) {
			return type != byte[].class && type != char[].class;
		}
		return type == Collection.class || ORDERED.stream().anyMatch((ordered) -> ordered.isAssignableFrom(type));
	}

	private static boolean isArrayOfKeys(Object object) {
		return object.getClass().isArray() && standsForSeveralKeys(object.getClass());
	}

	/**
	 * Return the text that a record has by default, built from the results of its
	 * accessors. Its fields, and a {@code toString} of its own, may differ from those.
	 */
	private String textOfRecord(Object parts, String path) {
		List<Method> accessors = READABLE.get(parts.getClass());
		if (accessors.size() != parts.getClass().getRecordComponents().length) {
			throw new InvalidLockRequestException("a " + parts.getClass().getName()
					+ ", whose components can't be read; open its package to this library, or " + this.advice);
		}
		return accessors.stream()
			.map((accessor) -> accessor.getName() + "="
					+ textOfPart(read(accessor, parts), path + "." + accessor.getName()))
			.collect(Collectors.joining(", ", parts.getClass().getSimpleName() + "[", "]"));
	}

	private static @Nullable Object read(Method accessor, Object parts) {
		try {
			return accessor.invoke(parts);
		}
		catch (ReflectiveOperationException ex) {
			throw new InvalidLockRequestException(
					"a " + parts.getClass().getName() + ", whose component " + accessor.getName() + " can't be read",
					ex);
		}
	}

	private String textOfPart(@Nullable Object part, String path) {
		if (part == null) {
			return "null";
		}
		if (part instanceof Optional<?> optional) {
			return optional.map((value) -> "Optional[" + textOfPart(value, path) + "]").orElse("Optional.empty");
		}
		if (isOrdered(part)) {
			return StreamSupport.stream(((Iterable<?>) part).spliterator(), false)
				.map((element) -> textOfPart(element, path))
				.collect(Collectors.joining(", ", "[", "]"));
		}
		if (part instanceof Enum<?> || isSingleValue(part)) {
			return textOf(part);
		}
		String converted = this.conversion.apply(part);
		if (converted != null) {
			return converted;
		}
		if (part.getClass().isRecord()) {
			return textOfRecord(part, path);
		}
		throw refused(part, " (" + path + ")");
	}

	private InvalidLockRequestException refused(Object object, String where) {
		if (isOrdered(object) || isArrayOfKeys(object)) {
			return new InvalidLockRequestException(
					"a " + describe(object) + where + ", which stands for several keys where one is needed");
		}
		boolean unordered = object instanceof Map<?, ?> || object instanceof Set<?>;
		return new InvalidLockRequestException("a " + describe(object) + where + ", whose "
				+ (unordered ? "order" : "text") + " may differ between JVMs; " + this.advice);
	}

	/**
	 * Return whether a text contains the memory address of an object, as the default text
	 * of every object does. The text is compared with the address itself, since
	 * {@code user@cafe} is a valid key.
	 * @param text the text
	 * @param object the object
	 * @return whether it contains the address
	 */
	public static boolean showsAddress(String text, @Nullable Object object) {
		return object != null && !(object instanceof String) && text.indexOf('@') >= 0
				&& text.contains("@" + Integer.toHexString(System.identityHashCode(object)));
	}

	private static String describe(@Nullable Object object) {
		return (object != null) ? object.getClass().getTypeName() : "null";
	}

}
