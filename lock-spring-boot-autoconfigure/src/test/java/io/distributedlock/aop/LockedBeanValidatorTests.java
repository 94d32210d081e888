package io.distributedlock.aop;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.PriorityOrdered;

import io.distributedlock.DistributedLock;
import io.distributedlock.spi.BackendTraits;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockedBeanValidator}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockedBeanValidatorTests {

	private static void assertFails(Class<?> beanClass, String method, String problem) {
		assertFails(LockedContext.runner().withBean("theBean", (Class<?>) beanClass), beanClass, method, problem);
	}

	private static void assertFails(ApplicationContextRunner runner, Class<?> beanClass, String method,
			String problem) {
		runner.run((context) -> assertThat(LockedContext.failure(context))
			.hasMessageStartingWith("@DistributedLock on " + beanClass.getName() + "." + method + " (bean 'theBean')")
			.hasMessageContaining(problem)
			.satisfies((ex) -> assertThat(ex.beanName()).isEqualTo("theBean"))
			.satisfies((ex) -> assertThat(ex.method()).isEqualTo(beanClass.getName() + "." + method)));
	}

	@Test
	void refusesAPrivateMethod() {
		assertFails(PrivateMethod.class, "locked()", "the method is private, so that no proxy can intercept it");
	}

	@Test
	void refusesAPrivateMethodOfASuperclass() {
		assertFails(ExtendsPrivateMethod.class, "locked()", "the method is private");
	}

	@Test
	void refusesAStaticMethod() {
		assertFails(StaticMethod.class, "locked()", "the method is static");
	}

	@Test
	void refusesAFinalMethod() {
		assertFails(FinalMethod.class, "locked()", "the method is final");
	}

	@Test
	void refusesAFinalMethodThatItsClassCovers() {
		assertFails(FinalMethodOfLockedClass.class, "locked()", "the method is final");
	}

	@Test
	void allowsAFinalMethodThatALockedClassInheritsFromElsewhere() {
		LockedContext.runner(ExtendsFramework.class).run((context) -> {
			context.getBean(ExtendsFramework.class).locked();

			assertThat(context.getBean(RecordingScopes.class).keys()).singleElement().asString().endsWith("locked()");
		});
	}

	@Test
	void refusesAFinalClass() {
		assertFails(FinalClass.class, "locked()", "the class is final, so that no proxy can extend it");
		assertFails(LockedRecord.class, "locked()", "the class is a record and so final");
	}

	@Test
	void refusesAFinalClassWithInterfacesWhereClassesAreProxied() {
		assertFails(
				LockedContext.runner()
					.withUserConfiguration(ProxiesClasses.class)
					.withBean("theBean", FinalClassWithInterface.class),
				FinalClassWithInterface.class, "locked()", "the class is final");
	}

	@Test
	void proxiesAFinalClassByItsInterfaces() {
		LockedContext.runner(FinalClassWithInterface.class).run((context) -> {
			context.getBean(Face.class).locked();

			assertThat(context.getBean(RecordingScopes.class).keys()).hasSize(1);
		});
	}

	@Test
	void refusesAMethodThatNoInterfaceOfAProxyHas() {
		assertFails(OutsideOfInterface.class, "outside()",
				"the bean is proxied by its interfaces, and none of them has the method");
	}

	@Test
	void refusesALazyBeanWithoutMakingIt() {
		assertFails(LockedContext.runner()
			.withBean("theBean", PrivateMethod.class, PrivateMethod::new, (definition) -> definition.setLazyInit(true)),
				PrivateMethod.class, "locked()", "the method is private");
		LockedContext.runner()
			.withBean("lazy", Counted.class, Counted::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(Counted.made).isZero());
	}

	@Test
	void refusesAPrototypeWithoutMakingIt() {
		assertFails(
				LockedContext.runner()
					.withBean("theBean", FinalMethod.class, FinalMethod::new,
							(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE)),
				FinalMethod.class, "locked()", "the method is final");
	}

	@Test
	void refusesTheProductOfAFactoryByItsType() {
		assertFails(LockedContext.runner().withBean("theBean", FinalMethodFactory.class), FinalMethod.class, "locked()",
				"the method is final");
	}

	@Test
	void refusesTheTargetOfAScopedProxy() {
		LockedContext.runner()
			.withUserConfiguration(ScopedConfiguration.class)
			.run((context) -> assertThat(LockedContext.failure(context))
				.hasMessageContaining("(bean 'scopedTarget.theBean'): the method is final"));
	}

	@Test
	void locksTheTargetOfAScopedProxyOnce() {
		LockedContext.runner().withUserConfiguration(GoodScopedConfiguration.class).run((context) -> {
			context.getBean(Good.class).locked();

			assertThat(context.getBean(RecordingScopes.class).log).hasSize(2);
		});
	}

	@Test
	void refusesAnUnknownBackendAndListsThoseThereAre() {
		assertFails(withBackends(true).withBean("theBean", OtherBackend.class), OtherBackend.class, "locked()",
				"'elsewhere' is not set up; there are [local, redis]");
	}

	@Test
	void refusesFencedOnABackendWithoutTokens() {
		assertFails(withBackends(false).withBean("theBean", Fenced.class), Fenced.class, "locked()",
				"the backend 'local' gives no fencing tokens; name another backend or omit fenced");
	}

	@Test
	void allowsFencedOnABackendWithTokens() {
		withBackends(true).withBean(Fenced.class).run((context) -> assertThat(context).hasNotFailed());
	}

	private static ApplicationContextRunner withBackends(boolean fencing) {
		BackendTraits traits = new BackendTraits(BackendTraits.LeaseKind.PER_LOCK, fencing, false, 0, false,
				Duration.ofMillis(1), null, 1);
		return LockedContext.runner()
			.withBean(BackendCatalog.class,
					() -> new BackendCatalog("local", Map.of("local", traits, "redis", traits)));
	}

	@Test
	void warnsOfAFinalMethodThatSeesNoFields(CapturedOutput output) {
		LockedContext.runner()
			.withBean("kotlin", FinalReader.class, () -> new FinalReader("injected"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(FinalReader.class).read()).isNull();
			});

		assertThat(output).contains(FinalReader.class.getName() + ".read() is final: called on the bean 'kotlin'")
			.contains("it runs on the proxy and sees null in place of every field");
	}

	@Test
	void doesNotWarnOfFinalMethodsWithoutFields(CapturedOutput output) {
		LockedContext.runner(FinalWithoutFields.class).run((context) -> assertThat(context).hasNotFailed());

		assertThat(output).doesNotContain("is final");
	}

	@Test
	void warnsOfStaticMethodsThatAClassDoesNotCover(CapturedOutput output) {
		LockedContext.runner(StaticOfLockedClass.class).run((context) -> assertThat(context).hasNotFailed());

		assertThat(output)
			.contains(StaticOfLockedClass.class.getName() + ".create() is static: the @DistributedLock on its class");
	}

	@Test
	void warnsOfABeanThatWasMadeTooEarly(CapturedOutput output) {
		LockedContext.runner().withUserConfiguration(EarlyConfiguration.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(Good.class).locked();
			assertThat(context.getBean(RecordingScopes.class).log).isEmpty();
		});

		assertThat(output).contains("The bean 'early' has @DistributedLock methods, but was made before")
			.contains("run WITHOUT a lock");
	}

	@Test
	void refusesABeanThatWasMadeTooEarlyWhereTheStartIsStrict() {
		LockedContext.runner()
			.withUserConfiguration(EarlyConfiguration.class)
			.withBean(LockAnnotationSettings.class, () -> new LockAnnotationSettings(true))
			.run((context) -> assertThat(LockedContext.failure(context))
				.hasMessageStartingWith("@DistributedLock on " + Good.class.getName() + ".locked() (bean 'early')")
				.hasMessageContaining("run WITHOUT a lock"));
	}

	@ParameterizedTest
	@ValueSource(classes = { EarlyPrototype.class, EarlyProduct.class })
	void findsBeansThatWereMadeTooEarlyAndAreNoSingletons(Class<?> configuration, CapturedOutput output) {
		LockedContext.runner()
			.withUserConfiguration(configuration)
			.run((context) -> assertThat(context).hasNotFailed());

		assertThat(output).containsOnlyOnce("The bean 'early' has @DistributedLock methods, but was made before");
		LockedContext.runner()
			.withUserConfiguration(configuration)
			.withBean(LockAnnotationSettings.class, () -> new LockAnnotationSettings(true))
			.run((context) -> assertThat(LockedContext.failure(context)).hasMessageContaining("(bean 'early')"));
	}

	@Test
	void aStrictStartBearsABeanThatIsProxied() {
		LockedContext.runner(Good.class)
			.withBean(LockAnnotationSettings.class, () -> new LockAnnotationSettings(true))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void warnsOfNothingWhereAllIsWell(CapturedOutput output) {
		LockedContext.runner(Good.class).run((context) -> assertThat(context).hasNotFailed());

		assertThat(output).doesNotContain("WARN").doesNotContain("not eligible for getting processed");
	}

	public static class PrivateMethod {

		@DistributedLock
		private void locked() {
		}

	}

	public static class ExtendsPrivateMethod extends PrivateMethod {

	}

	public static class StaticMethod {

		@DistributedLock
		public static void locked() {
		}

	}

	public static class FinalMethod {

		@DistributedLock
		public final void locked() {
		}

	}

	@DistributedLock
	public static class FinalMethodOfLockedClass {

		public final void locked() {
		}

	}

	public static class Framework {

		public final String frameworkName() {
			return "framework";
		}

	}

	@DistributedLock
	public static class ExtendsFramework extends Framework {

		public void locked() {
		}

	}

	public static final class FinalClass {

		@DistributedLock
		public void locked() {
		}

	}

	record LockedRecord() {

		@DistributedLock
		void locked() {
		}

	}

	interface Face {

		void locked();

	}

	public static final class FinalClassWithInterface implements Face {

		@Override
		@DistributedLock
		public void locked() {
		}

	}

	public static class OutsideOfInterface implements Face {

		@Override
		@DistributedLock
		public void locked() {
		}

		@DistributedLock
		public void outside() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class ProxiesClasses {

	}

	public static class Counted {

		private static int made;

		Counted() {
			made++;
		}

		@DistributedLock
		public void locked() {
		}

	}

	public static class FinalMethodFactory implements FactoryBean<FinalMethod> {

		@Override
		public FinalMethod getObject() {
			return new FinalMethod();
		}

		@Override
		public Class<?> getObjectType() {
			return FinalMethod.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedConfiguration {

		@Bean
		@Scope(scopeName = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
		FinalMethod theBean() {
			return new FinalMethod();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class GoodScopedConfiguration {

		@Bean
		@Scope(scopeName = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
		Good theBean() {
			return new Good();
		}

	}

	public static class Good {

		@DistributedLock
		public void locked() {
		}

	}

	public static class OtherBackend {

		@DistributedLock(backend = "elsewhere")
		public void locked() {
		}

	}

	public static class Fenced {

		@DistributedLock(fenced = true)
		public void locked() {
		}

	}

	public static class FinalReader {

		private final @Nullable String injected;

		FinalReader(String injected) {
			this.injected = injected;
		}

		@DistributedLock
		public void locked() {
		}

		public final @Nullable String read() {
			return this.injected;
		}

	}

	public static class FinalWithoutFields {

		@DistributedLock
		public void locked() {
		}

		public final String constant() {
			return "constant";
		}

	}

	@DistributedLock
	public static class StaticOfLockedClass {

		public static StaticOfLockedClass create() {
			return new StaticOfLockedClass();
		}

		public void locked() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyConfiguration {

		@Bean
		static EarlyProcessor processor(Good early) {
			return new EarlyProcessor();
		}

		@Bean
		static Good early() {
			return new Good();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyPrototype {

		@Bean
		static EarlyProcessor processor(Good early) {
			return new EarlyProcessor();
		}

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		static Good early() {
			return new Good();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EarlyProduct {

		@Bean
		static EarlyProcessor processor(Good early) {
			return new EarlyProcessor();
		}

		@Bean
		static GoodFactory early() {
			return new GoodFactory();
		}

	}

	static class GoodFactory implements FactoryBean<Good> {

		@Override
		public Good getObject() {
			return new Good();
		}

		@Override
		public Class<?> getObjectType() {
			return Good.class;
		}

	}

	/** Is created before the auto-proxy creator, together with its dependencies. */
	static class EarlyProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

}
