package io.distributedlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.annotation.AliasFor;
import org.springframework.util.ReflectionUtils;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockMode;
import io.distributedlock.OnBusy;
import io.distributedlock.OnLost;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockDeclaration}.
 */
class LockDeclarationTests {

	private static @Nullable String nameOn(Class<?> type, String method) {
		return nameOn(type, type, method);
	}

	private static @Nullable String nameOn(Class<?> declaring, Class<?> target, String method) {
		List<String> names = namesOn(declaring, target, method);
		assertThat(names).hasSizeLessThan(2);
		return names.isEmpty() ? null : names.get(0);
	}

	private static List<String> namesOn(Class<?> declaring, Class<?> target, String method) {
		return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(declaring))
			.filter((candidate) -> candidate.getName().equals(method))
			.findFirst()
			.map((found) -> LockDeclaration.find(found, target))
			.orElse(List.of())
			.stream()
			.map((declaration) -> declaration.annotation().name())
			.toList();
	}

	@Test
	void theMethodWinsOverItsClassAndTheInterface() {
		assertThat(nameOn(Everything.class, "onAll")).isEqualTo("method");
	}

	@Test
	void theClassWinsOverTheInterface() {
		assertThat(nameOn(Everything.class, "onInterfaceMethod")).isEqualTo("class");
		assertThat(nameOn(Everything.class, "own")).isEqualTo("class");
	}

	@Test
	void aMethodOfTheInterfaceWinsOverTheInterface() {
		assertThat(nameOn(OnlyInterface.class, "onAll")).isEqualTo("interface method");
		assertThat(nameOn(OnlyInterface.class, "plain")).isEqualTo("interface");
		assertThat(nameOn(OnlyInterface.class, "own")).isNull();
	}

	@Test
	void anInterfaceStandsForWhatItsSubinterfaceRedeclares() {
		assertThat(nameOn(OnlySubinterface.class, "plain")).isEqualTo("interface");
		assertThat(nameOn(OnlySubinterface.class, "additional")).isNull();
	}

	@Test
	void aClassIsInheritedAndCoversInheritedMethods() {
		assertThat(nameOn(Sub.class, "own")).isEqualTo("class");
		assertThat(nameOn(Sub.class, "added")).isEqualTo("class");
		assertThat(nameOn(AnnotatedSub.class, "inherited")).isEqualTo("sub");
	}

	@Test
	void anOverriddenMethodKeepsItsLock() {
		assertThat(nameOn(Overriding.class, "locked")).isEqualTo("overridden");
	}

	@Test
	void aClassCoversPublicInstanceMethodsOnly() {
		assertThat(nameOn(Everything.class, "packagePrivate")).isNull();
		assertThat(nameOn(Everything.class, "protectedMethod")).isNull();
		assertThat(nameOn(Everything.class, "staticMethod")).isNull();
	}

	@Test
	void aClassDoesNotCoverWhatEveryObjectHas() {
		assertThat(nameOn(Everything.class, "toString")).isNull();
		assertThat(nameOn(Everything.class, "hashCode")).isNull();
		assertThat(nameOn(Everything.class, "equals")).isNull();
		assertThat(nameOn(Object.class, Everything.class, "getClass")).isNull();
	}

	@Test
	void aMethodNeedsNotBePublic() {
		assertThat(nameOn(NotPublic.class, "locked")).isEqualTo("package-private");
	}

	@Test
	void composedAnnotationsCountOnMethodsClassesAndThroughTwoLevels() {
		assertThat(nameOn(ComposedMethod.class, "locked")).isEqualTo("composed");
		assertThat(nameOn(ComposedClass.class, "locked")).isEqualTo("composed");
	}

	@Test
	void theInterfaceOfABridgedMethodCounts() {
		assertThat(nameOn(Generic.class, GenericImpl.class, "accept")).isEqualTo("generic");
		assertThat(nameOn(GenericImpl.class, "accept")).isEqualTo("generic");
		assertThat(nameOn(InheritsImpl.class, "accept")).isEqualTo("generic");
	}

	@Test
	void proxiesAreLookedThrough() {
		ProxyFactory classProxy = new ProxyFactory(new Everything());
		classProxy.setProxyTargetClass(true);
		Object interfaceProxy = new ProxyFactory(new OnlyInterface()).getProxy();

		assertThat(nameOn(Everything.class, classProxy.getProxy().getClass(), "onAll")).isEqualTo("method");
		assertThat(nameOn(Face.class, interfaceProxy.getClass(), "onAll")).isEqualTo("interface method");
		assertThat(nameOn(Face.class, interfaceProxy.getClass(), "plain")).isEqualTo("interface");
	}

	@Test
	void withoutAnAnnotationThereIsNone() {
		assertThat(nameOn(String.class, "length")).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "twoComposed, first second", "composedAndDirect, direct first", "overridesClass, first second",
			"plain, onClass", "overridden, first second", "sameTwice, first" })
	void allAnnotationsOfTheNearestPlaceApply(String method, String names) {
		assertThat(namesOn(Several.class, SeveralSub.class, method)).containsExactlyInAnyOrder(names.split(" "));
	}

	@Test
	void allInterfacesThatKnowNothingOfEachOtherApply() {
		assertThat(namesOn(BothFaces.class, BothFaces.class, "call")).containsExactlyInAnyOrder("left", "right");
		assertThat(namesOn(BothTypes.class, BothTypes.class, "call")).containsExactlyInAnyOrder("left type",
				"right type");
		assertThat(namesOn(Narrower.class, Narrower.class, "call")).containsExactly("narrower");
	}

	@Test
	void attributesGoThroughCompositions() {
		DistributedLock lock = LockDeclaration
			.find(ReflectionUtils.findMethod(AllAttributes.class, "call"), AllAttributes.class)
			.get(0)
			.annotation();

		assertThat(lock.key()).containsExactly("'k'");
		assertThat(lock.value()).containsExactly("'k'");
		assertThat(lock.name()).isEqualTo("n");
		assertThat(lock.ttl()).isEqualTo("1s");
		assertThat(lock.waitTime()).isEqualTo("2s");
		assertThat(lock.minHold()).isEqualTo("3s");
		assertThat(lock.maxHold()).isEqualTo("4s");
		assertThat(lock.renew()).isFalse();
		assertThat(lock.fenced()).isTrue();
		assertThat(lock.mode()).isEqualTo(LockMode.SHARED);
		assertThat(lock.permits()).isEqualTo("p");
		assertThat(lock.onBusy()).isEqualTo(OnBusy.SKIP);
		assertThat(lock.fallback()).isEqualTo("f");
		assertThat(lock.onLost()).isEqualTo(OnLost.IGNORE);
		assertThat(lock.backend()).isEqualTo("b");
	}

	@Test
	void theTestOfCompositionsKnowsAllAttributes() {
		assertThat(Arrays.stream(DistributedLock.class.getDeclaredMethods()).map(Method::getName))
			.allSatisfy((attribute) -> assertThat(ReflectionUtils.findMethod(Everywhere.class, attribute)).isNotNull());
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface Everywhere {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] value() default {};

		@AliasFor(annotation = DistributedLock.class)
		String[] key() default {};

		@AliasFor(annotation = DistributedLock.class)
		String name() default "";

		@AliasFor(annotation = DistributedLock.class)
		String ttl() default "";

		@AliasFor(annotation = DistributedLock.class)
		String waitTime() default "";

		@AliasFor(annotation = DistributedLock.class)
		String minHold() default "";

		@AliasFor(annotation = DistributedLock.class)
		String maxHold() default "";

		@AliasFor(annotation = DistributedLock.class)
		boolean renew() default true;

		@AliasFor(annotation = DistributedLock.class)
		boolean fenced() default false;

		@AliasFor(annotation = DistributedLock.class)
		LockMode mode() default LockMode.EXCLUSIVE;

		@AliasFor(annotation = DistributedLock.class)
		String permits() default "";

		@AliasFor(annotation = DistributedLock.class)
		OnBusy onBusy() default OnBusy.DEFAULT;

		@AliasFor(annotation = DistributedLock.class)
		String fallback() default "";

		@AliasFor(annotation = DistributedLock.class)
		OnLost onLost() default OnLost.THROW;

		@AliasFor(annotation = DistributedLock.class)
		String backend() default "";

	}

	public static class AllAttributes {

		@Everywhere(value = "'k'", key = "'k'", name = "n", ttl = "1s", waitTime = "2s", minHold = "3s", maxHold = "4s",
				renew = false, fenced = true, mode = LockMode.SHARED, permits = "p", onBusy = OnBusy.SKIP,
				fallback = "f", onLost = OnLost.IGNORE, backend = "b")
		public void call() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "first")
	@interface First {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "second")
	@interface Second {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "first")
	@interface AlsoFirst {

	}

	@DistributedLock(name = "onClass")
	public static class Several {

		@First
		@Second
		public void twoComposed() {
		}

		@First
		@DistributedLock(name = "direct")
		public void composedAndDirect() {
		}

		@Second
		@First
		public void overridesClass() {
		}

		public void plain() {
		}

		@First
		@Second
		public void overridden() {
		}

		@First
		@AlsoFirst
		public void sameTwice() {
		}

	}

	public static class SeveralSub extends Several {

		@Override
		public void overridden() {
		}

	}

	interface Left {

		@DistributedLock(name = "left")
		void call();

	}

	interface Right {

		@DistributedLock(name = "right")
		void call();

	}

	interface NarrowerLeft extends Left {

		@Override
		@DistributedLock(name = "narrower")
		void call();

	}

	@DistributedLock(name = "left type")
	interface LeftType {

		void call();

	}

	@DistributedLock(name = "right type")
	interface RightType {

		void call();

	}

	public static class BothFaces implements Left, Right {

		@Override
		public void call() {
		}

	}

	public static class BothTypes implements LeftType, RightType {

		@Override
		public void call() {
		}

	}

	public static class Narrower implements Left, NarrowerLeft {

		@Override
		public void call() {
		}

	}

	@DistributedLock(name = "interface")
	interface Face {

		@DistributedLock(name = "interface method")
		void onAll();

		@DistributedLock(name = "interface method")
		void onInterfaceMethod();

		void plain();

	}

	interface SubFace extends Face {

		void additional();

	}

	@DistributedLock(name = "class")
	public static class Everything implements Face {

		@Override
		@DistributedLock(name = "method")
		public void onAll() {
		}

		@Override
		public void onInterfaceMethod() {
		}

		@Override
		public void plain() {
		}

		public void own() {
		}

		void packagePrivate() {
		}

		protected void protectedMethod() {
		}

		public static void staticMethod() {
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return this == other;
		}

		@Override
		public int hashCode() {
			return 1;
		}

		@Override
		public String toString() {
			return "everything";
		}

	}

	public static class OnlyInterface implements Face {

		@Override
		public void onAll() {
		}

		@Override
		public void onInterfaceMethod() {
		}

		@Override
		public void plain() {
		}

		public void own() {
		}

	}

	public static class OnlySubinterface extends OnlyInterface implements SubFace {

		@Override
		public void additional() {
		}

	}

	public static class Sub extends Everything {

		public void added() {
		}

	}

	public static class Plain {

		public void inherited() {
		}

	}

	@DistributedLock(name = "sub")
	public static class AnnotatedSub extends Plain {

	}

	public static class Overridden {

		@DistributedLock(name = "overridden")
		public void locked() {
		}

	}

	public static class Overriding extends Overridden {

		@Override
		public void locked() {
		}

	}

	public static class NotPublic {

		@DistributedLock(name = "package-private")
		void locked() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "composed")
	@interface Once {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Once
	@interface Twice {

	}

	public static class ComposedMethod {

		@Twice
		public void locked() {
		}

	}

	@Once
	public static class ComposedClass {

		public void locked() {
		}

	}

	interface Generic<T> {

		@DistributedLock(name = "generic")
		void accept(T value);

	}

	public static class GenericImpl implements Generic<String> {

		@Override
		public void accept(String value) {
		}

	}

	public static class HasMethod {

		public void accept(Integer value) {
		}

	}

	public static class InheritsImpl extends HasMethod implements Generic<Integer> {

	}

}
