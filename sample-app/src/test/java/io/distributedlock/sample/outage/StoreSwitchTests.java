package io.distributedlock.sample.outage;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LockBackend;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreSwitch}.
 */
class StoreSwitchTests {

	private final List<String> calls = new ArrayList<>();

	private final StoreSwitch power = new StoreSwitch();

	@Test
	void allMethodsOfAStoreAreForwarded() throws Exception {
		LockBackend backend = (LockBackend) this.power.postProcessAfterInitialization(recorder(LockBackend.class), "");

		assertForwarded(LockBackend.class, backend);
	}

	@Test
	void allMethodsOfAConnectionAreForwarded() throws Exception {
		BackendConnection connection = new SwitchedConnection(recorder(BackendConnection.class), this.power);

		assertForwarded(BackendConnection.class, connection);
	}

	@Test
	void callsToAStoreThatIsAwayFail() throws Exception {
		BackendConnection connection = new SwitchedConnection(recorder(BackendConnection.class), this.power);
		this.power.setAway(true);

		for (Method method : methods(BackendConnection.class)) {
			Object result = call(method, connection);
			if (result instanceof CompletionStage<?> stage) {
				assertThat(stage.toCompletableFuture()).as(method.toString())
					.failsWithin(0, TimeUnit.SECONDS)
					.withThrowableThat()
					.withCauseInstanceOf(LockUnavailableException.class);
			}
		}
		assertThat(this.calls).containsExactlyInAnyOrder("traits", "severalKeys", "contend", "nodes", "session",
				"close");
	}

	@Test
	void attemptsAtAStoreThatIsAwayAreNotSent() {
		Contender contender = new SwitchedConnection(recorder(BackendConnection.class), this.power).contend(null, null);
		this.power.setAway(true);

		AttemptOutcome outcome = contender.attempt(null).toCompletableFuture().join();
		contender.withdraw();

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isFalse());
		assertThat(this.calls).containsExactly("contend", "withdraw");
	}

	private void assertForwarded(Class<?> type, Object decorator) throws ReflectiveOperationException {
		for (Method method : methods(type)) {
			this.calls.clear();
			call(method, decorator);
			assertThat(this.calls).as(method.toString()).containsExactly(method.getName());
		}
	}

	private static List<Method> methods(Class<?> type) {
		return List.of(type.getMethods())
			.stream()
			.filter((method) -> !Modifier.isStatic(method.getModifiers()) && !method.isBridge())
			.toList();
	}

	private static Object call(Method method, Object target) throws ReflectiveOperationException {
		Object[] arguments = new Object[method.getParameterCount()];
		for (int i = 0; i < arguments.length; i++) {
			arguments[i] = method.getParameterTypes()[i].equals(int.class) ? 1 : null;
		}
		return method.invoke(target, arguments);
	}

	/**
	 * Return an implementation that records the names of the called methods.
	 */
	private <T> T recorder(Class<T> type) {
		InvocationHandler handler = (proxy, method, arguments) -> {
			if (method.getDeclaringClass().equals(Object.class)) {
				return method.getName().equals("equals") ? proxy == arguments[0] : "recorder";
			}
			this.calls.add(method.getName());
			if (Set.of(Contender.class, BackendConnection.class).contains(method.getReturnType())) {
				return recorder(method.getReturnType());
			}
			return method.getReturnType().equals(CompletionStage.class) ? new CompletableFuture<>() : null;
		};
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
	}

}
