package io.distributedlock.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockMode;
import io.distributedlock.Locks;
import io.distributedlock.OnBusy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for misused annotations: when the application is informed, and the complete
 * message.
 */
@ExtendWith(OutputCaptureExtension.class)
class MisuseTests {

	static Stream<Class<?>> misuses() {
		return Arrays.stream(MisuseTests.class.getDeclaredClasses())
			.filter((type) -> type.isAnnotationPresent(Learns.class))
			.sorted((one, other) -> one.getSimpleName().compareTo(other.getSimpleName()));
	}

	@ParameterizedTest
	@MethodSource("misuses")
	void isNamedInFull(Class<?> misuse, CapturedOutput output) {
		Learns learns = misuse.getAnnotation(Learns.class);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=local")
			.withBean("misuse", misuse)
			.run((context) -> {
				String message = switch (learns.at()) {
					case START -> StartFailures.analyze(context).getDescription();
					case START_BY_WARNING -> warning(context, output);
					case CALL -> failureOfCall(context, misuse);
				};
				assertThat(message.replace(misuse.getName() + ".", "").replaceAll("@[0-9a-f]{3,8}\\b", "@HASH"))
					.isEqualTo(learns.message());
			});
	}

	private static String warning(AssertableApplicationContext context, CapturedOutput output) {
		assertThat(context).hasNotFailed();
		return output.getOut()
			.lines()
			.filter((line) -> line.contains("WARN"))
			// The format is the default, or that of an earlier Spring application.
			.map((line) -> line.replaceFirst(".*? WARN .*?( -- |\\s: )", ""))
			.reduce("", String::concat);
	}

	private static String failureOfCall(AssertableApplicationContext context, Class<?> misuse) throws Exception {
		assertThat(context).hasNotFailed();
		Method call = method(misuse, "call");
		Object argument = (call.getParameterCount() > 0) ? method(misuse, "argument").invoke(null) : null;
		Object bean = context.getBean("misuse");
		try {
			call.invoke(bean, (call.getParameterCount() > 0) ? new Object[] { argument } : new Object[0]);
			throw new AssertionError("The call of " + misuse.getSimpleName() + " succeeded");
		}
		catch (InvocationTargetException ex) {
			assertThat(context.getBean(Locks.class).list()).isEmpty();
			return ex.getCause().getClass().getSimpleName() + ": " + ex.getCause().getMessage();
		}
	}

	private static Method method(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	enum Moment {

		/**
		 * The application does not start.
		 */
		START,

		/**
		 * The application starts, and logs a warning.
		 */
		START_BY_WARNING,

		/**
		 * The call fails.
		 */
		CALL

	}

	/**
	 * When a misuse is reported.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Learns {

		Moment at();

		/**
		 * The message, without the class.
		 */
		String message();

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#value.toString()\" of call(Object) yields 'java.lang.Object@HASH', which has the "
					+ "text that a java.lang.Object has by default, and differs between JVMs")
	public static class AddressInText {

		@DistributedLock(key = "#value.toString()")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return new Object();
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'): "
			+ "@Async on the same method is not supported yet: the lock would be released before the "
			+ "work is done; put the lock on a method that the asynchronous one calls through another " + "bean")
	public static class AsynchronousMethod {

		@Async
		@DistributedLock(name = "a")
		public void call() {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'), key: "
			+ "The key expression \"' '\" of call() yields ' ', which is blank and so no key")
	public static class BlankKey {

		@DistributedLock(key = "' '")
		public void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call(long) (bean 'misuse'), "
					+ "key: \"#id +\" is no valid expression (Expression [#id +] @4: EL1042E: Problem parsing "
					+ "right operand)")
	public static class BrokenExpression {

		@DistributedLock(key = "#id +")
		public void call(long id) {
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"'a\\u001b\\n' + #value\" of call(Object) adds a java.util.HashMap, whose order may "
					+ "differ between JVMs; name the property or method that gives the key, as in #order.id, "
					+ "or declare a bean of type Converter<TheClass, String>")
	public static class ControlCharacters {

		@DistributedLock(key = "'a\u001b\n' + #value")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return new HashMap<>(Map.of("a", 1));
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'): the "
					+ "return type CompletableFuture is not supported yet: the lock would be released before "
					+ "the work is done; do the work in the method and return what it gives, or use "
					+ "LockTemplate.executeAsync")
	public static class DeclaredFuture {

		@DistributedLock(name = "a")
		public CompletableFuture<String> call() {
			return new CompletableFuture<>();
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'): the "
			+ "return type Supplier is not supported yet: the lock would be released before the work "
			+ "is done; do the work in the method and return what it gives, or use " + "LockTemplate.executeAsync")
	public static class DeclaredSupplier {

		@DistributedLock(name = "a")
		public Supplier<String> call() {
			return () -> "late";
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), ttl: " + "'10' has no unit; write for example 10s")
	public static class DurationWithoutUnit {

		@DistributedLock(name = "a", ttl = "10")
		public void call() {
		}

	}

	@Learns(at = Moment.START_BY_WARNING, message = "call(long) has name = \"#orderId\": a name is "
			+ "taken as it stands, so that all calls share one lock; write #orderId into the attribute " + "key")
	public static class ExpressionAsName {

		@DistributedLock(name = "#orderId")
		public void call(long orderId) {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call(long) (bean 'misuse'), "
			+ "key: \"{#id}\" is a list in braces; a key is an expression as it is: write for example " + "#id")
	public static class ExpressionInBraces {

		@DistributedLock(key = "{#id}")
		public void call(long id) {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call(long) (bean 'misuse'), "
					+ "key: \"#{#id}\" is no valid expression (Expression [#{#id}] @1: EL1043E: Unexpected "
					+ "token. Expected 'identifier' but was 'lcurly({)'); a key is an expression as it is, "
					+ "without #{} or ${}: write for example #id")
	public static class ExpressionInTemplate {

		@DistributedLock(key = "#{#id}")
		public void call(long id) {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'), "
			+ "onBusy: SKIP excludes a fallback; omit onBusy, or the fallback")
	public static class FallbackBesideSkip {

		@DistributedLock(name = "a", fallback = "later", onBusy = OnBusy.SKIP)
		public void call() {
		}

		public void later() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'): the "
					+ "class is final, so that no proxy can extend it; make it extensible, or use LockTemplate "
					+ "inside of the method")
	public static final class FinalClass {

		@DistributedLock(name = "a")
		public void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'): the "
					+ "method is final, so that no proxy can intercept it; make it an overridable method of "
					+ "the bean, or use LockTemplate inside of it")
	public static class FinalMethod {

		@DistributedLock(name = "a")
		public final void call() {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'): the "
			+ "container calls the method on the bean itself (@PostConstruct), past every proxy, so "
			+ "that it runs WITHOUT a lock; use LockTemplate inside of it, or do the work in an " + "ApplicationRunner")
	public static class LifecycleMethod {

		@PostConstruct
		@DistributedLock(name = "a")
		public void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), "
					+ "fallback: 'later' is annotated itself, but a fallback runs without a lock; let it call "
					+ "another bean for work that needs one")
	public static class LockedFallback {

		@DistributedLock(name = "a", fallback = "later")
		public void call() {
		}

		@DistributedLock(name = "b")
		public void later() {
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#value\" of call(String) is refused: The key of a lock must have at most 255 code "
					+ "points, but this one has 300: 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…'")
	public static class LongKey {

		@DistributedLock(key = "#value")
		public void call(String value) {
		}

		static @Nullable Object argument() {
			return "k".repeat(300);
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), name: "
					+ "The key of a lock must have at most 255 code points, but this one has 300: "
					+ "'0123456789012345678901234567890123456789…'; write a shorter name")
	public static class LongName {

		static final String TEN = "0123456789";

		static final String HUNDRED = TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN;

		@DistributedLock(name = HUNDRED + HUNDRED + HUNDRED)
		public void call() {
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#p0\" of call(Object) yields a java.util.ImmutableCollections$Map1, whose order may "
					+ "differ between JVMs; name the property or method that gives the key, as in #order.id, "
					+ "or declare a bean of type Converter<TheClass, String>")
	public static class MapAsKey {

		@DistributedLock(key = "#p0")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return Map.of("a", 1);
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), "
					+ "maxHold: has no meaning with renew=false: without renewal the lease ends with its ttl; "
					+ "omit one of the two")
	public static class MaxHoldWithoutRenewal {

		@DistributedLock(name = "a", maxHold = "1m", renew = false)
		public void call() {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'), "
			+ "minHold: is longer than maxHold (2m against 1m); raise maxHold or lower minHold")
	public static class MinHoldAboveMaxHold {

		@DistributedLock(name = "a", minHold = "2m", maxHold = "1m")
		public void call() {
		}

	}

	@Learns(at = Moment.START_BY_WARNING, message = "call() holds its lock for at least PT1M "
			+ "(minHold), which is nearly as long as the time between its runs or longer (fixedRate = "
			+ "60000): runs will find the lock taken and be skipped; omit minHold, it follows " + "the schedule")
	public static class MinHoldOfOnePeriod {

		@Scheduled(fixedRate = 60_000)
		@DistributedLock(name = "a", minHold = "1m")
		public void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call(long) (bean 'misuse'), " + "fallback: 'later' is no other method of "
					+ "io.distributedlock.autoconfigure.MisuseTests$MissingFallback with the parameters (long) "
					+ "or (long, LockBusyException)")
	public static class MissingFallback {

		@DistributedLock(name = "a", fallback = "later")
		public void call(long id) {
		}

		public void later(String id) {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'), " + "waitTime: '-1s' is negative")
	public static class NegativeWaitTime {

		@DistributedLock(name = "a", waitTime = "-1s")
		public void call() {
		}

	}

	@Learns(at = Moment.CALL, message = "InvalidLockRequestException: The key expression "
			+ "\"#p0\" of call(Object) yields no key at all, an empty " + "java.util.ImmutableCollections$ListN")
	public static class NoElement {

		@DistributedLock(key = "#p0")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return List.of();
		}

	}

	@Learns(at = Moment.CALL, message = "InvalidLockRequestException: The key expression "
			+ "\"'order:' + #value\" of call(Object) yields null for #value, which is no part of a key")
	public static class NullInText {

		@DistributedLock(key = "'order:' + #value")
		public void call(@Nullable Object value) {
		}

		static @Nullable Object argument() {
			return null;
		}

	}

	@Learns(at = Moment.CALL, message = "InvalidLockRequestException: The key expression "
			+ "\"#p0\" of call(Object) yields null, which is no key")
	public static class NullKey {

		@DistributedLock(key = "#p0")
		public void call(@Nullable Object value) {
		}

		static @Nullable Object argument() {
			return null;
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#p0\" of call(Object) yields a java.lang.Object, whose text may differ between JVMs; "
					+ "name the property or method that gives the key, as in #order.id, or declare a bean of "
					+ "type Converter<TheClass, String>")
	public static class ObjectAsKey {

		@DistributedLock(key = "#p0")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return new Object();
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"'order:' + #value\" of call(Object) adds a "
					+ "java.util.concurrent.atomic.AtomicReference, whose text may differ between JVMs; name "
					+ "the property or method that gives the key, as in #order.id, or declare a bean of type "
					+ "Converter<TheClass, String>")
	public static class ObjectInText {

		@DistributedLock(key = "'order:' + #value")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return new AtomicReference<>("a");
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'): the "
					+ "method is private, so that no proxy can intercept it; make it an overridable method of "
					+ "the bean, or use LockTemplate inside of it")
	public static class PrivateMethod {

		@DistributedLock(name = "a")
		private void call() {
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#p0\" of call(Object) yields a byte[] (Payment.receipt), whose text may differ "
					+ "between JVMs; name the property or method that gives the key, as in #order.id, or "
					+ "declare a bean of type Converter<TheClass, String>")
	public static class RecordWithBytes {

		@DistributedLock(key = "#p0")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return new Payment(1, new byte[] { 1 });
		}

		record Payment(long id, byte[] receipt) {

		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#p0\" of call(Object) yields a java.util.HashSet (Order.lines), whose order may "
					+ "differ between JVMs; name the property or method that gives the key, as in #order.id, "
					+ "or declare a bean of type Converter<TheClass, String>")
	public static class RecordWithSet {

		@DistributedLock(key = "#p0")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return new Order(1, new HashSet<>());
		}

		record Order(long id, Set<String> lines) {

		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#p0\" of call(Object) yields a java.util.concurrent.atomic.AtomicReference, whose "
					+ "text may differ between JVMs; name the property or method that gives the key, as in "
					+ "#order.id, or declare a bean of type Converter<TheClass, String>")
	public static class ReferenceAsKey {

		@DistributedLock(key = "#p0")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return new AtomicReference<>("a");
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call(long) (bean 'misuse'), "
			+ "permits: excludes several keys; write one expression")
	public static class SeveralKeys {

		@DistributedLock(key = { "#id", "'all'" }, permits = "2")
		public void call(long id) {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'), mode: "
			+ "PERMITS needs a number; write it into permits")
	public static class PermitsWithoutNumber {

		@DistributedLock(name = "a", mode = LockMode.PERMITS)
		public void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), ttl: " + "'50ms' is less than 100ms")
	public static class ShortTtl {

		@DistributedLock(name = "a", ttl = "50ms")
		public void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), "
					+ "onBusy: SKIP, but the primitive int has no value for a skipped one; return void, an "
					+ "object or an Optional, or use THROW")
	public static class SkippedPrimitive {

		@DistributedLock(name = "a", onBusy = OnBusy.SKIP)
		public int call() {
			return 1;
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'): the "
					+ "method is static, so that no proxy can intercept it; make it an overridable method of "
					+ "the bean, or use LockTemplate inside of it")
	public static class StaticMethod {

		@DistributedLock(name = "a")
		public static void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), key: "
					+ "\"fixed\" reads the property fixed of the root object, which has only method, args, "
					+ "target and targetClass; write 'fixed' in quotes for the text, or use the attribute name")
	public static class TextWithoutQuotes {

		@DistributedLock(key = "fixed")
		public void call() {
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockDeclarationException: @DistributedLock "
					+ "on call(): the method has returned a java.util.concurrent.CompletableFuture, whose work "
					+ "runs OUTSIDE of the lock: the lock has been released, and the work may have begun; do "
					+ "the work in the method and return what it gives, or use LockTemplate.executeAsync")
	public static class UndeclaredFuture {

		@DistributedLock(name = "a")
		public Object call() {
			return new CompletableFuture<>();
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call() (bean 'misuse'), "
			+ "backend: 'redis' is not set up; there are [local]")
	public static class UnknownBackend {

		@DistributedLock(name = "a", backend = "redis")
		public void call() {
		}

	}

	@Learns(at = Moment.START, message = "@DistributedLock on call(long) (bean 'misuse'), "
			+ "key: \"#ordrId\" reads the unknown variable #ordrId; known are #a0, #orderId, #p0")
	public static class UnknownVariable {

		@DistributedLock(key = "#ordrId")
		public void call(long orderId) {
		}

	}

	@Learns(at = Moment.CALL,
			message = "InvalidLockRequestException: The key expression "
					+ "\"#p0\" of call(Object) yields a java.util.ImmutableCollections$Set12, whose order may "
					+ "differ between JVMs; name the property or method that gives the key, as in #order.id, "
					+ "or declare a bean of type Converter<TheClass, String>")
	public static class UnorderedSetAsKey {

		@DistributedLock(key = "#p0")
		public void call(Object value) {
		}

		static @Nullable Object argument() {
			return Set.of("a");
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call() (bean 'misuse'), ttl: "
					+ "'${orders.ttl}' has a placeholder that nothing defines; set the property or write a "
					+ "default as in ${name:default}")
	public static class UnresolvedPlaceholder {

		@DistributedLock(name = "a", ttl = "${orders.ttl}")
		public void call() {
		}

	}

	@Learns(at = Moment.START,
			message = "@DistributedLock on call(List) (bean 'misuse'), permits: excludes several keys, and a"
					+ " java.util.List stands for several; name one element in the expression")
	public static class ListParameter {

		@DistributedLock(key = "#ids", permits = "3")
		public void call(List<Integer> ids) {
		}

	}

	@Learns(at = Moment.START_BY_WARNING,
			message = "call() is called by the scheduler and waits for "
					+ "its lock (waitTime = 5s): instances that find it busy queue and run one after the "
					+ "other, and keep the scheduler's thread; omit waitTime to skip such runs")
	public static class WaitingSchedule {

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(name = "a", waitTime = "5s")
		public void call() {
		}

	}

}
