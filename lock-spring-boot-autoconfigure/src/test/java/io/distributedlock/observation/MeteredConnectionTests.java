package io.distributedlock.observation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link MeteredConnection} and {@link MeteredLockBackend}.
 */
class MeteredConnectionTests {

	private static final LockTarget TARGET = LockTarget.exclusive("order:42");

	private static final LeaseGrant GRANT = new LeaseGrant(TARGET, OwnerId.random(), new TokenRange(1, 1), 0);

	private static final LeaseRequest REQUEST = new LeaseRequest(OwnerId.random(), Duration.ofSeconds(30), 1, null,
			false, Duration.ofSeconds(2), Duration.ZERO);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final StoreMeters meters = new StoreMeters("shop", this.clock);

	private final RecordedCalls calls = new RecordedCalls();

	private final BackendConnection connection = new MeteredConnection(this.calls.proxy(BackendConnection.class),
			this.meters);

	@BeforeEach
	void bind() {
		this.meters.bindTo(this.registry);
	}

	static Stream<Method> methodsOfConnections() {
		return methods(BackendConnection.class).filter((method) -> !method.getName().equals("contend"));
	}

	static Stream<Method> methodsOfContenders() {
		return methods(Contender.class);
	}

	static Stream<Method> methodsOfBackends() {
		return methods(LockBackend.class).filter((method) -> !method.getName().equals("connect"));
	}

	private static Stream<Method> methods(Class<?> type) {
		return Arrays.stream(type.getMethods()).filter((method) -> !Modifier.isStatic(method.getModifiers()));
	}

	@ParameterizedTest
	@MethodSource("methodsOfConnections")
	void everyMethodOfAConnectionIsForwarded(Method method) throws Exception {
		assertThatItIsForwarded(method, this.connection);
	}

	@ParameterizedTest
	@MethodSource("methodsOfContenders")
	void everyMethodOfAContenderIsForwarded(Method method) throws Exception {
		Runnable wakeUp = () -> {
		};
		Contender contender = this.connection.contend(TARGET, wakeUp);
		assertThat(this.calls.arguments).containsExactly(TARGET, wakeUp);

		assertThatItIsForwarded(method, contender);
	}

	@ParameterizedTest
	@MethodSource("methodsOfBackends")
	void everyMethodOfABackendIsForwarded(Method method) throws Exception {
		assertThatItIsForwarded(method, new MeteredLockBackend(this.calls.proxy(LockBackend.class), this.meters));
	}

	private void assertThatItIsForwarded(Method method, Object decorator) throws Exception {
		Object[] arguments = Arrays.stream(method.getParameterTypes()).map(MeteredConnectionTests::argument).toArray();

		Object result = method.invoke(decorator, arguments);

		assertThat(this.calls.method).isEqualTo(method);
		assertThat(this.calls.arguments).containsExactly(arguments);
		if (result instanceof CompletionStage<?> stage) {
			assertThat(stage.toCompletableFuture()).isCompletedWithValue(null);
		}
		else {
			assertThat(result).isSameAs(this.calls.result);
		}
	}

	private static Object argument(Class<?> type) {
		return Stream.<Object>of(TARGET, GRANT, REQUEST, Duration.ofSeconds(7), List.of(), "key", 5)
			.filter((value) -> type.isInstance(value) || (type == int.class && value instanceof Integer))
			.findFirst()
			.orElseThrow(() -> new AssertionError("The test needs a value of " + type));
	}

	@Test
	void connectionOfABackendIsMeasured() {
		BackendListener listener = (ownerId) -> {
		};
		LockBackend backend = new MeteredLockBackend(this.calls.proxy(LockBackend.class), this.meters);

		BackendConnection connected = backend.connect(listener);

		assertThat(this.calls.arguments).containsExactly(listener);
		connected.find("key");
		assertThat(timer("find", "ok").count()).isEqualTo(1);
	}

	private Timer timer(String operation, String outcome) {
		return this.registry.get("distributed.lock.store.call")
			.tags("lock.store", "shop", "lock.operation", operation, "lock.outcome", outcome)
			.timer();
	}

	private double renewals(String outcome) {
		return this.registry.get("distributed.lock.renewal")
			.tags("lock.store", "shop", "lock.outcome", outcome)
			.counter()
			.count();
	}

	@Test
	void callLastsUntilItsAnswer() {
		CompletableFuture<Object> answer = new CompletableFuture<>();
		this.calls.result = answer;

		this.connection.find("key");
		this.clock.advance(Duration.ofMillis(7));
		assertThat(timer("find", "ok").count()).isZero();
		answer.complete(null);

		assertThat(timer("find", "ok").count()).isEqualTo(1);
		assertThat(timer("find", "ok").totalTime(TimeUnit.MILLISECONDS)).isEqualTo(7);
		assertThat(timer("find", "error").count()).isZero();
	}

	@Test
	void callThatFailsIsCountedApart() {
		this.calls.result = CompletableFuture.failedFuture(new IllegalStateException("connection refused"));

		assertThat(this.connection.release(GRANT, Duration.ZERO).toCompletableFuture()).isCompletedExceptionally();

		assertThat(timer("release", "error").count()).isEqualTo(1);
		assertThat(timer("release", "ok").count()).isZero();
	}

	@Test
	void callThatThrowsIsCountedToo() {
		this.calls.failure = new IllegalStateException("no connection");

		assertThatThrownBy(() -> this.connection.forceRelease("key", Duration.ZERO)).isSameAs(this.calls.failure);
		assertThatThrownBy(() -> this.connection.renew(List.of(renewal(), renewal()))).isSameAs(this.calls.failure);

		assertThat(timer("force-release", "error").count()).isEqualTo(1);
		assertThat(timer("renew", "error").count()).isEqualTo(1);
		assertThat(renewals("failed")).isEqualTo(2);
	}

	@Test
	void attemptIsACallThatMayFail() {
		Contender contender = this.connection.contend(TARGET, () -> {
		});

		this.calls.result = CompletableFuture.completedFuture(new AttemptOutcome.Granted(GRANT));
		contender.attempt(REQUEST);
		this.calls.result = CompletableFuture
			.completedFuture(new AttemptOutcome.Unavailable(new IllegalStateException("closed"), true));
		contender.attempt(REQUEST);
		this.calls.result = CompletableFuture.failedFuture(new IllegalStateException("closed"));
		contender.attempt(REQUEST);
		this.calls.failure = new IllegalStateException("no connection");
		assertThatThrownBy(() -> contender.attempt(REQUEST)).isSameAs(this.calls.failure);

		assertThat(timer("acquire", "ok").count()).isEqualTo(1);
		assertThat(timer("acquire", "error").count()).isEqualTo(3);
	}

	@Test
	void eachRenewalOfABatchIsCounted() {
		this.calls.result = CompletableFuture
			.completedFuture(List.of(new RenewalOutcome.Renewed(1), new RenewalOutcome.Renewed(1),
					new RenewalOutcome.Lost(), new RenewalOutcome.Unknown(new IllegalStateException("closed"))));
		this.connection.renew(List.of(renewal(), renewal(), renewal(), renewal()));

		assertThat(renewals("ok")).isEqualTo(2);
		assertThat(renewals("failed")).isEqualTo(2);
		assertThat(timer("renew", "ok").count()).isEqualTo(1);
	}

	@Test
	void renewalsOfABatchThatFailsHaveFailed() {
		this.calls.result = CompletableFuture.failedFuture(new IllegalStateException("closed"));
		this.connection.renew(List.of(renewal(), renewal(), renewal()));

		assertThat(renewals("ok")).isZero();
		assertThat(renewals("failed")).isEqualTo(3);
		assertThat(timer("renew", "error").count()).isEqualTo(1);
	}

	private static Renewal renewal() {
		return new Renewal(GRANT, Duration.ofSeconds(30));
	}

	/**
	 * Records the latest call of a proxy, and returns what the test wants.
	 */
	private static final class RecordedCalls implements InvocationHandler {

		private @Nullable Method method;

		private Object[] arguments = new Object[0];

		private @Nullable Object result;

		private @Nullable RuntimeException failure;

		<T> T proxy(Class<T> type) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, this));
		}

		@Override
		public @Nullable Object invoke(Object proxy, Method called, Object @Nullable [] args) {
			this.method = called;
			this.arguments = (args != null) ? args : new Object[0];
			if (this.failure != null) {
				throw this.failure;
			}
			Class<?> type = called.getReturnType();
			if (type.isInterface() && type != CompletionStage.class && type != List.class) {
				return proxy(type);
			}
			if (this.result == null) {
				this.result = value(type);
			}
			return this.result;
		}

		private static @Nullable Object value(Class<?> type) {
			if (type == CompletionStage.class) {
				return CompletableFuture.completedFuture(null);
			}
			if (type == List.class) {
				return new ArrayList<>();
			}
			if (type == BackendTraits.class) {
				return new BackendTraits(BackendTraits.LeaseKind.PER_LOCK, true, false, 0, true, Duration.ofMillis(1),
						null, 7);
			}
			return (type == String.class) ? "text" : null;
		}

	}

}
