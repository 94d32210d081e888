package io.distributedlock.aop;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.util.ReflectionUtils;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockDeclaration}.
 */
class LockDeclarationTests {

	private static @Nullable String nameOn(Class<?> type, String method) {
		return nameOn(type, type, method);
	}

	private static @Nullable String nameOn(Class<?> declaring, Class<?> target, String method) {
		LockDeclaration declaration = Arrays.stream(ReflectionUtils.getAllDeclaredMethods(declaring))
			.filter((candidate) -> candidate.getName().equals(method))
			.findFirst()
			.map((found) -> LockDeclaration.find(found, target))
			.orElse(null);
		return (declaration != null) ? declaration.annotation().name() : null;
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
