package io.distributedlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.annotation.AliasFor;
import org.springframework.javapoet.ClassName;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the hints that are registered ahead of time for locked methods.
 */
class LockedMethodHintsTests {

	private static RuntimeHints process(Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(DistributedLockAopConfiguration.class, PropertySourcesPlaceholderConfigurer.class);
		context.registerBeanDefinition("keys", new RootBeanDefinition(Keys.class));
		context.register(beans);
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("fixture", "Application")), new InMemoryGeneratedFiles());
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		return generation.getRuntimeHints();
	}

	@Test
	void theMethodsOfAllTypesThatMayDeclareALockAreFound() {
		RuntimeHints hints = process(Orders.class);

		for (Class<?> type : new Class<?>[] { Orders.class, Base.class, Face.class }) {
			assertThat(hints.reflection().getTypeHint(type).getMemberCategories())
				.contains(MemberCategory.INVOKE_DECLARED_METHODS);
		}
	}

	@Test
	void argumentsAreReadThroughTheirProperties() throws Exception {
		RuntimeHints hints = process(Orders.class);

		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class, "customer")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class, "id")).accepts(hints);
	}

	@Test
	void beansAndTypesOfExpressionsAreReached() throws Exception {
		RuntimeHints hints = process(Orders.class);

		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Keys.class, "prefix")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Named.class, "upper")).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Math.class.getMethod("abs", int.class)))
			.accepts(hints);
	}

	@Test
	void fallbacksAreReached() throws Exception {
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Orders.class, "instead"))
			.accepts(process(Orders.class));
	}

	@Test
	void annotationsAreRead() {
		RuntimeHints hints = process(Orders.class);
		new LockedMethodRuntimeHints().registerHints(hints, null);

		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLock.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(DistributedLock.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(ById.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(KeyExpressionRoot.class, "args"))
			.accepts(hints);
	}

	@Test
	void theProxyIsMadeAheadOfTime() {
		assertThat(process(Base.class).reflection().typeHints()).extracting((hint) -> hint.getType().getName())
			.anyMatch((name) -> name.startsWith(TypeReference.of(Base.class).getName() + "$$SpringCGLIB$$"));
	}

	@Test
	void beansWithoutLocksAreLeftAlone() {
		assertThat(process(Unlocked.class).reflection().getTypeHint(Order.class)).isNull();
	}

	@Test
	void aBrokenKeyEndsTheProcessing() {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> process(Broken.class))
			.withStackTraceContaining("reads the unknown variable #unknown");
	}

	interface Face {

		@DistributedLock(name = "face")
		void declared();

	}

	public static class Base {

		@DistributedLock(name = "base")
		public void inherited() {
		}

	}

	public record Customer(long id) {

	}

	public record Order(Customer customer) {

	}

	public static class Keys {

		public String prefix() {
			return "prefix";
		}

	}

	public static final class Named {

		private Named() {
		}

		public static String upper(String text) {
			return text;
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface ById {

		@AliasFor(annotation = DistributedLock.class)
		String[] key();

	}

	public static class Orders extends Base implements Face {

		@Override
		public void declared() {
		}

		@DistributedLock(key = "#order.customer.id", fallback = "instead")
		public void ship(Order order) {
		}

		private void instead(Order order) {
		}

		@ById(key = "@keys.prefix() + T(io.distributedlock.aop.LockedMethodHintsTests$Named).upper(#p0) + T(Math).abs(1)")
		public void named(String text) {
		}

	}

	public static class Unlocked {

		public void call(Order order) {
		}

	}

	public static class Broken {

		@DistributedLock(key = "#unknown")
		public void call() {
		}

	}

}
