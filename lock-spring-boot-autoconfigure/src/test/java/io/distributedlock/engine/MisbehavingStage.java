package io.distributedlock.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * Creates stages with behaviour that no {@link CompletableFuture} shows, but that other
 * implementations of {@link CompletionStage} may.
 */
final class MisbehavingStage {

	private MisbehavingStage() {
	}

	/**
	 * Return a stage that ends with another one.
	 * @param stage the other one
	 * @param misbehaviour how it differs from the other one
	 * @return the stage
	 */
	@SuppressWarnings("unchecked")
	static <T> CompletionStage<T> of(CompletionStage<T> stage, Misbehaviour misbehaviour) {
		return (CompletionStage<T>) Proxy.newProxyInstance(MisbehavingStage.class.getClassLoader(),
				new Class<?>[] { CompletionStage.class }, (proxy, method, arguments) -> {
					boolean future = method.getName().equals("toCompletableFuture");
					boolean handler = method.getName().equals("whenComplete");
					if ((future && misbehaviour == Misbehaviour.REFUSES_TO_BE_A_FUTURE)
							|| (!future && misbehaviour == Misbehaviour.REFUSES_HANDLERS)) {
						throw new UnsupportedOperationException("simulated");
					}
					if (handler && misbehaviour == Misbehaviour.COMPLETES_TWICE) {
						BiConsumer<? super T, ? super Throwable> action = (BiConsumer<? super T, ? super Throwable>) arguments[0];
						stage.whenComplete(action);
					}
					Object result = invoke(() -> method.invoke(stage, arguments));
					return (handler && misbehaviour == Misbehaviour.RETURNS_NULL_FOR_HANDLERS) ? null : result;
				});
	}

	private static Object invoke(Invocation invocation) throws Throwable {
		try {
			return invocation.run();
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	@FunctionalInterface
	private interface Invocation {

		Object run() throws ReflectiveOperationException;

	}

}
