package io.distributedlock;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that decorators override every method of what they decorate. A default method
 * that is left out would silently take the default instead of the store's own.
 */
class DecoratorTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages("io.distributedlock");

	@Test
	void decoratorsOfConnectionsOverrideEveryMethod() {
		assertThat(decorators(BackendConnection.class)).extracting(Class::getSimpleName)
			.contains("MeteredConnection", "EpochConnection");
		assertThat(missing(BackendConnection.class)).isEmpty();
	}

	@Test
	void decoratorsOfContendersOverrideEveryMethod() {
		assertThat(decorators(Contender.class)).extracting(Class::getSimpleName)
			.contains("MeteredContender", "EpochContender");
		assertThat(missing(Contender.class)).isEmpty();
	}

	@Test
	void decoratorsOfBackendsOverrideEveryMethod() {
		assertThat(decorators(LockBackend.class)).extracting(Class::getSimpleName)
			.contains("MeteredLockBackend", "TokenEpochBackend");
		assertThat(missing(LockBackend.class)).isEmpty();
	}

	@Test
	void methodThatIsLeftOutIsFound() {
		assertThat(missing(Decorated.class, Careless.class)).singleElement()
			.asString()
			.contains("Careless does not override")
			.contains("optional");
	}

	private static List<String> missing(Class<?> contract) {
		return decorators(contract).stream().flatMap((decorator) -> missing(contract, decorator).stream()).toList();
	}

	private static List<String> missing(Class<?> contract, Class<?> decorator) {
		return Stream.of(contract.getMethods())
			.filter((method) -> !Modifier.isStatic(method.getModifiers()))
			.filter((method) -> implementation(method, decorator).getDeclaringClass().isInterface())
			.map((method) -> decorator.getSimpleName() + " does not override " + method)
			.toList();
	}

	private static Method implementation(Method method, Class<?> decorator) {
		try {
			return decorator.getMethod(method.getName(), method.getParameterTypes());
		}
		catch (NoSuchMethodException ex) {
			throw new AssertionError(ex);
		}
	}

	/**
	 * Return the classes that implement an interface and have a field of its type.
	 */
	private static List<Class<?>> decorators(Class<?> contract) {
		return CLASSES.stream()
			.filter((type) -> !type.isInterface() && type.isAssignableTo(contract))
			.filter((
					type) -> type.getFields().stream().anyMatch((field) -> field.getRawType().isEquivalentTo(contract)))
			.<Class<?>>map(JavaClass::reflect)
			.toList();
	}

	/**
	 * An interface with a default method.
	 */
	public interface Decorated {

		void required();

		default void optional() {
		}

	}

	/**
	 * Leaves the default method out.
	 */
	public record Careless(Decorated delegate) implements Decorated {

		@Override
		public void required() {
			this.delegate.required();
		}

	}

}
