package io.distributedlock;

import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that keys are escaped in texts for display. Records with a key are found
 * automatically.
 */
class ShownKeysTests {

	private static final String KEY = "a\n\u001b[31m\r\u2028\u0085\u202eb";

	private static final String SHOWN = "a\\n\\u001b[31m\\r\\u2028\\u0085\\u202eb";

	private static final Set<String> KEYS = Set.of("key", "keys", "resource", "target", "grant");

	static Stream<Class<?>> records() {
		return new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests())
			.importPackages("io.distributedlock")
			.stream()
			.filter((type) -> type.isRecord()
					&& type.getPackageName().matches("io.distributedlock(\\.spi|\\.backend)?"))
			.<Class<?>>map(JavaClass::reflect)
			.filter((type) -> Arrays.stream(type.getRecordComponents())
				.anyMatch((component) -> KEYS.contains(component.getName())));
	}

	@Test
	void recordsAreFound() {
		assertThat(records()).contains(LockInfo.class, LeaseLostEvent.class, TickMissedEvent.class, LockTarget.class,
				LeaseGrant.class, Renewal.class);
	}

	@ParameterizedTest
	@MethodSource("records")
	void recordShowsItsKeysEscaped(Class<?> type) throws Exception {
		assertThat(create(type)).asString().contains(SHOWN).doesNotContainPattern("[\\p{Cntrl}\\u2028\\u0085\\u202e]");
	}

	private static Object create(Class<?> type) throws Exception {
		RecordComponent[] components = type.getRecordComponents();
		Object[] arguments = new Object[components.length];
		for (int i = 0; i < components.length; i++) {
			arguments[i] = value(components[i]);
		}
		Constructor<?> constructor = type
			.getDeclaredConstructor(Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
		constructor.setAccessible(true);
		return constructor.newInstance(arguments);
	}

	private static Object value(RecordComponent component) throws Exception {
		Class<?> type = component.getType();
		if (type == List.class) {
			Class<?> element = (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
			return List.of((element == String.class) ? KEY : create(element));
		}
		Map<Class<?>, Object> values = Map.of(String.class, KEY, long.class, 1L, int.class, 1, boolean.class, true,
				Duration.class, Duration.ofSeconds(1), Instant.class, Instant.EPOCH, OwnerId.class, OwnerId.random());
		if (values.containsKey(type)) {
			return values.get(type);
		}
		if (type.isEnum()) {
			return type.getEnumConstants()[0];
		}
		return type.isRecord() ? create(type) : null;
	}

}
