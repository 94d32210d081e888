package io.distributedlock.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.convert.converter.Converter;
import org.springframework.util.ReflectionUtils;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the keys that result from expressions and names.
 */
class KeyExpressionTests {

	private static final Orders.Order ORDER = new Orders.Order(42, "eu");

	private final LockOperationSource operations = LockedContext.operations(Map.of("region", "north"));

	private List<String> keys(Object target, String method, @Nullable Object... args) {
		return request(target, target.getClass(), method, args);
	}

	private List<String> request(Object target, Class<?> type, String name, @Nullable Object... args) {
		Method method = Arrays.stream(type.getMethods())
			.filter((candidate) -> candidate.getName().equals(name) && candidate.getParameterCount() == args.length
					&& !candidate.isBridge())
			.findFirst()
			.orElseThrow();
		return this.operations.operations(method, target.getClass()).get(0).request(target, args, null).getKeys();
	}

	@Test
	void readsParametersByNameAndPosition() {
		Orders orders = new Orders();

		assertThat(keys(orders, "byName", ORDER)).containsExactly("42");
		assertThat(keys(orders, "byP", ORDER)).containsExactly("42");
		assertThat(keys(orders, "byA", ORDER)).containsExactly("42");
		assertThat(keys(orders, "plain", 7L)).containsExactly("7");
		assertThat(keys(orders, "joined", ORDER, 3)).containsExactly("eu/3");
	}

	@Test
	void putsTheNameBefore() {
		assertThat(keys(new Orders(), "named", 7L)).containsExactly("order:7");
		assertThat(keys(new Orders(), "namedByProperty", 7L)).containsExactly("order-north:7");
		assertThat(keys(new Orders(), "nameOnly", 7L)).containsExactly("all-orders");
	}

	@Test
	void withoutNameAndKeyTheMethodIsTheKey() {
		assertThat(keys(new Orders(), "bare", 7L, new String[0]))
			.containsExactly("io.distributedlock.aop.Orders.bare(long,String[])");
		assertThat(keys(new Orders(), "bare", List.of())).containsExactly("io.distributedlock.aop.Orders.bare(List)");
	}

	@Test
	void aSubclassHasItsOwnDefaultKey() {
		assertThat(keys(new SpecialOrders(), "bare", List.of()))
			.containsExactly("io.distributedlock.aop.KeyExpressionTests$SpecialOrders.bare(List)");
	}

	@Test
	void readsTheRootObject() {
		assertThat(keys(new Orders(), "rootProperties", ORDER)).containsExactly("rootProperties-Orders-eu-target");
	}

	@Test
	void takesLiteralsStaticMethodsAndCollections() {
		Orders orders = new Orders();

		assertThat(keys(orders, "literal")).containsExactly("fixed");
		assertThat(keys(orders, "number")).containsExactly("7");
		assertThat(keys(orders, "type", 5)).containsExactly("5");
		assertThat(keys(orders, "several", List.of("b", "a"))).containsExactly("a", "b");
		assertThat(keys(orders, "several", List.of("a"))).containsExactly("a");
		assertThat(keys(orders, "projected", List.of(ORDER))).containsExactly("eu");
		assertThat(keys(orders, "entry", Map.of("id", "9"))).containsExactly("9");
		assertThat(keys(orders, "hashTag", 1)).containsExactly("{orders}:1");
	}

	@Test
	void theSameExpressionTakesValuesOfOtherTypesCallByCall() {
		Orders orders = new Orders();

		for (int i = 0; i < 300; i++) {
			assertThat(keys(orders, "anything", "s" + i)).containsExactly("s" + i + "!");
			assertThat(keys(orders, "anything", i)).containsExactly(i + "!");
		}
	}

	@Test
	void findsTheDeclarationOfAnInterface() {
		assertThat(keys(new OrderRepository(), "save", ORDER)).containsExactly("42");
		assertThat(request(new OrderRepository(), Repository.class, "save", ORDER)).containsExactly("42");
		assertThat(keys(new OrderRepository(), "move", 1, 2)).containsExactly("1+2");
	}

	@Test
	void followsAttributesThroughComposedAnnotations() {
		assertThat(keys(new Composed(), "ship", 5L)).containsExactly("order:5");
	}

	@Test
	void aGeneratedSubclassKeepsTheNamesOfTheMethodThatItOverrides() throws Exception {
		Class<?> spy = FixtureCompiler.compileWithoutParameters("GeneratedSpy", """
				public class GeneratedSpy extends io.distributedlock.aop.Orders {
					public void byName(io.distributedlock.aop.Orders.Order arg0) { }
				}""");

		assertThat(keys(spy.getDeclaredConstructor().newInstance(), "byName", ORDER)).containsExactly("42");
	}

	@Test
	void withoutParameterNamesThePositionsWork() throws Exception {
		Object fixture = withoutNames("#p0 + '-' + #a1");

		assertThat(keys(fixture, "call", "x", "y")).containsExactly("x-y");
	}

	@Test
	void withoutParameterNamesANameIsRefusedWithTheFlagThatIsMissing() throws Exception {
		Object fixture = withoutNames("#id");

		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> keys(fixture, "call", "x", "y"))
			.withMessage(
					"@DistributedLock on WithoutNames.call(String,String), key: \"#id\" reads the unknown variable #id;"
							+ " known are #a0, #a1, #p0, #p1; the names of the parameters are missing: compile with"
							+ " -parameters, or use #p0");
	}

	private static Object withoutNames(String expression) throws Exception {
		return FixtureCompiler.compileWithoutParameters("WithoutNames", """
				public class WithoutNames {
					@io.distributedlock.DistributedLock("%s")
					public void call(String id, String other) { }
				}""".formatted(expression)).getDeclaredConstructor().newInstance();
	}

	@ParameterizedTest
	@MethodSource("io.distributedlock.aop.BrokenKeys#all")
	void refusesExpressionsThatCanOnlyFailOrGiveOneKeyForAll(Method method, String message) {
		assertThatExceptionOfType(InvalidLockDeclarationException.class).as(method.getName())
			.isThrownBy(() -> this.operations.operations(method, BrokenKeys.class))
			.withMessageStartingWith("@DistributedLock on " + BrokenKeys.class.getName() + "." + method.getName() + "(")
			.withMessageContaining(message)
			.satisfies((ex) -> assertThat(ex.attribute()).isEqualTo("key"));
	}

	@Test
	void refusesANameThatIsTooLong() {
		Method method = method(TooLong.class, "call");

		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> this.operations.operations(method, TooLong.class))
			.withMessageContaining("name: ")
			.withMessageContaining("at most 255 code points")
			.withMessageContaining("write a shorter name");
	}

	@Test
	void aKeyThatDistinguishesNothingIsRefusedWithExpressionAndMethod() {
		for (Object value : new Object[] { "", "   ", Optional.empty(), List.of(), new Object() }) {
			assertThatExceptionOfType(InvalidLockRequestException.class)
				.isThrownBy(() -> keys(new Orders(), "namedObject", value))
				.withMessageStartingWith(
						"The key expression \"#value\" of " + Orders.class.getName() + ".namedObject(Object) yields ");
		}
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Orders(), "namedObject", (Object) null))
			.withMessageEndingWith("yields null, which is no key");
	}

	@Test
	void aPropertyOfNullIsRefusedWithExpressionAndMethod() {
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Orders(), "byName", (Object) null))
			.withMessageStartingWith("The key expression \"#order.id\" of " + Orders.class.getName()
					+ ".byName(Order) can't be evaluated: ")
			.withCauseInstanceOf(RuntimeException.class);
	}

	@Test
	void aKeyThatIsTooLongAtACallIsRefusedWithExpressionAndMethod() {
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Orders(), "namedObject", "x".repeat(254)))
			.withMessageStartingWith("The key expression \"#value\" of ")
			.withMessageContaining("at most 255 code points");
	}

	@Test
	void readsBeansAndRefusesUnknownOnes() {
		StaticApplicationContext context = new StaticApplicationContext();
		context.registerBean("tenant", Tenant.class);
		context.refresh();
		LockOperationSource source = new LockOperationSource(new LockOperationFactory(context.getBeanFactory()));
		Method known = method(WithBeans.class, "known");
		Method unknown = method(WithBeans.class, "unknown");

		assertThat(source.operations(known, WithBeans.class).get(0).request(null, new Object[] { 3L }, null).getKeys())
			.containsExactly("acme-3");
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> source.operations(unknown, WithBeans.class))
			.withMessageContaining("@nobody is no known bean");
	}

	@ParameterizedTest
	@ValueSource(strings = { "chosen", "lowered", "concatenated", "nested" })
	void nullThatIsAddedInsideOfTheExpressionIsNoPartOfAKey(String method) {
		assertThat(keys(new Baskets(), method, "v", "w")).containsExactly(method + ":w");
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Baskets(), method, "v", null))
			.withMessageEndingWith("yields null for #w, which is no part of a key");
	}

	@Test
	void nullInABranchThatIsNotTakenIsNoneOfTheKey() {
		assertThat(keys(new Baskets(), "chosen", null, null)).containsExactly("null and void");
	}

	@Test
	void nullThatIsAddedToTextIsNoPartOfAKey() {
		assertThat(keys(new Baskets(), "added", new Basket("7"), "null")).containsExactly("basket:7:null");
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Baskets(), "added", new Basket("7"), null))
			.withMessageEndingWith("yields null for #user, which is no part of a key");
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Baskets(), "added", new Basket(null), "u"))
			.withMessageEndingWith("yields null for #basket.id, which is no part of a key");
	}

	@Test
	void objectThatIsAddedToTextNeedsATextOfItsOwn() {
		assertThat(keys(new Baskets(), "object", 7)).containsExactly("basket:7");
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Baskets(), "object", new Basket("7")))
			.withMessageContaining("\"'basket:' + #basket\" of ")
			.withMessageContaining(" adds a " + Basket.class.getTypeName() + ", whose text may differ between JVMs")
			.withMessageContaining("Converter<TheClass, String>");
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Baskets(), "several", List.of(1, 2)))
			.withMessageContaining("which stands for several keys");
	}

	@Test
	void textThatAnObjectHasByDefaultIsFoundInTheWholeKey() {
		Basket basket = new Basket("7");

		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> keys(new Baskets(), "asText", basket))
			.withMessageContaining("which has the text that a " + Basket.class.getTypeName() + " has by default");
		assertThat(keys(new Baskets(), "mail", "user@" + Integer.toHexString(System.identityHashCode(basket))))
			.hasSize(1);
	}

	@Test
	void converterOfTheApplicationGivesObjectsTheirText() {
		StaticApplicationContext context = new StaticApplicationContext();
		context.registerBean("basketKey", BasketKey.class);
		context.refresh();
		LockOperationSource source = new LockOperationSource(new LockOperationFactory(context.getBeanFactory()));
		Method added = method(Baskets.class, "object");
		Method alone = method(Baskets.class, "alone");

		assertThat(source.operations(added, Baskets.class)
			.get(0)
			.request(null, new Object[] { new SpecialBasket("7") }, null)
			.getKeys()).containsExactly("basket:b7");
		assertThat(source.operations(alone, Baskets.class)
			.get(0)
			.request(null, new Object[] { new Basket("7") }, null)
			.getKeys()).containsExactly("b7");
	}

	@Test
	void converterOfAParentContextCounts() {
		StaticApplicationContext parent = new StaticApplicationContext();
		parent.registerBean("basketKey", BasketKey.class);
		parent.refresh();
		StaticApplicationContext context = new StaticApplicationContext(parent);
		context.refresh();
		LockOperationSource source = new LockOperationSource(new LockOperationFactory(context.getBeanFactory()));

		assertThat(source.operations(method(Baskets.class, "alone"), Baskets.class)
			.get(0)
			.request(null, new Object[] { new Basket("7") }, null)
			.getKeys()).containsExactly("b7");
	}

	@Test
	void severalConvertersForOneClassAreRefused() {
		StaticApplicationContext context = new StaticApplicationContext();
		context.registerBean("basketKey", BasketKey.class);
		context.registerBean("otherKey", BasketKey.class);
		context.refresh();
		LockOperationSource source = new LockOperationSource(new LockOperationFactory(context.getBeanFactory()));

		LockOperation operation = source.operations(method(Baskets.class, "alone"), Baskets.class).get(0);

		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> operation.request(null, new Object[] { new Basket("7") }, null))
			.withMessageContaining("several converters: [basketKey, otherKey]");
	}

	private static Method method(Class<?> type, String name) {
		return Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	public static class Basket {

		private final @Nullable String id;

		Basket(@Nullable String id) {
			this.id = id;
		}

		public @Nullable String getId() {
			return this.id;
		}

	}

	public static class SpecialBasket extends Basket {

		SpecialBasket(String id) {
			super(id);
		}

	}

	static class BasketKey implements Converter<Basket, String> {

		@Override
		public String convert(Basket basket) {
			return "b" + basket.getId();
		}

	}

	public static class Baskets {

		@DistributedLock("'basket:' + #basket.id + ':' + #user")
		public void added(Basket basket, @Nullable String user) {
		}

		@DistributedLock("'basket:' + #basket")
		public void object(Object basket) {
		}

		@DistributedLock("#basket")
		public void alone(Basket basket) {
		}

		@DistributedLock("#v != null ? 'chosen:' + #w : 'null and void'")
		public void chosen(@Nullable String v, @Nullable String w) {
		}

		@DistributedLock("('LOWERED:' + #w).toLowerCase()")
		public void lowered(@Nullable String v, @Nullable String w) {
		}

		@DistributedLock("'concatenated:'.concat('' + #w)")
		public void concatenated(@Nullable String v, @Nullable String w) {
		}

		@DistributedLock("#v == 'none' ? 'a' : (#v == 'b' ? 'c' : 'nested:' + #w)")
		public void nested(@Nullable String v, @Nullable String w) {
		}

		@DistributedLock("'basket:' + #ids")
		public void several(List<Integer> ids) {
		}

		@DistributedLock("#basket.toString() + '!'")
		public void asText(Basket basket) {
		}

		@DistributedLock("#mail + '!'")
		public void mail(String mail) {
		}

	}

	public static class SpecialOrders extends Orders {

	}

	interface Repository<T> {

		@DistributedLock("#entity.id")
		void save(T entity);

		@DistributedLock("#from + '+' + #to")
		default void move(int from, int to) {
		}

	}

	public static class OrderRepository implements Repository<Orders.Order> {

		@Override
		public void save(Orders.Order stored) {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "order")
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String of();

	}

	public static class Composed {

		@OrderLock(of = "#id")
		public void ship(long id) {
		}

	}

	public static class TooLong {

		@DistributedLock(name = "0123456789012345678901234567890123456789012345678901234567890123456789"
				+ "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
				+ "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
				+ "01234567890123456789012345678901234567890123456789012345678901234567890123456789")
		public void call() {
		}

	}

	public static class Tenant {

		public String prefix() {
			return "acme-";
		}

	}

	public static class WithBeans {

		@DistributedLock("@tenant.prefix() + #id")
		public void known(long id) {
		}

		@DistributedLock("@nobody.prefix() + #id")
		public void unknown(long id) {
		}

	}

}
