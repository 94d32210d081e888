package io.distributedlock.aop;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

/**
 * Finds results whose work continues, or has yet to begin, after the method has returned.
 * A lock around the method does not cover that work.
 */
final class DeferredWork {

	private static final boolean WEB = ClassUtils.isPresent("org.springframework.http.HttpEntity",
			DeferredWork.class.getClassLoader());

	/**
	 * By name, because the types may be missing.
	 */
	private static final Set<String> NAMES = Set.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Job",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.function.AsyncServerResponse",
			"org.springframework.web.servlet.function.SseServerResponse");

	/**
	 * Types that a class of the application may implement besides its purpose. An object
	 * of such a class counts as work only if the declared type is one of them,
	 * {@code Object} or a type variable without a bound.
	 */
	private static final List<Class<?>> FUNCTIONS = List.of(Callable.class, Supplier.class, Runnable.class);

	private static final ClassValue<Boolean> DEFERRED = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
					|| BaseStream.class.isAssignableFrom(type)
					|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null || isNamed(type);
		}

	};

	private DeferredWork() {
	}

	/**
	 * Find a type of deferred work in the declared result of a method.
	 * @return the type, or {@code null} if there is none
	 */
	static @Nullable Class<?> findIn(ResolvableType declared) {
		Class<?> type = declared.resolve(Object.class);
		if (isWrapper(type)) {
			return findIn(declared.getGeneric(0));
		}
		return FUNCTIONS.contains(type) ? type : findDeferred(declared);
	}

	private static @Nullable Class<?> findDeferred(ResolvableType declared) {
		Class<?> type = declared.resolve(Object.class);
		if (DEFERRED.get(type)) {
			return type;
		}
		if (declared.isArray()) {
			return findDeferred(declared.getComponentType());
		}
		return (Iterable.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type))
				? Arrays.stream(declared.getGenerics())
					.map(DeferredWork::findDeferred)
					.filter(Objects::nonNull)
					.findFirst()
					.orElse(null)
				: null;
	}

	/**
	 * Find deferred work in the result of a method.
	 * @param declared the declared type of the result
	 * @return its type, or {@code null} if there is none
	 */
	static @Nullable Class<?> findIn(@Nullable Object result, ResolvableType declared) {
		if (result == null) {
			return null;
		}
		if (result instanceof Optional<?> optional) {
			return findIn(optional.orElse(null), declared.getGeneric(0));
		}
		if (WEB && WebAnswers.isOne(result)) {
			return findIn(WebAnswers.body(result), declared.getGeneric(0));
		}
		boolean function = declared.resolve(Object.class) == Object.class
				&& FUNCTIONS.stream().anyMatch((candidate) -> candidate.isInstance(result));
		return (function || DEFERRED.get(result.getClass())) ? result.getClass() : null;
	}

	private static boolean isWrapper(Class<?> type) {
		return type == Optional.class || (WEB && WebAnswers.isType(type));
	}

	private static boolean isNamed(@Nullable Class<?> type) {
		return type != null && (NAMES.contains(type.getName()) || isNamed(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(DeferredWork::isNamed));
	}

	/**
	 * For applications that have Spring's web module.
	 */
	private static final class WebAnswers {

		static boolean isType(Class<?> type) {
			return HttpEntity.class.isAssignableFrom(type);
		}

		static boolean isOne(Object result) {
			return result instanceof HttpEntity<?>;
		}

		static @Nullable Object body(Object answer) {
			return ((HttpEntity<?>) answer).getBody();
		}

	}

}
