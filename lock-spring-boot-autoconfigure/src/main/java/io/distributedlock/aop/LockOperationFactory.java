package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ClassUtils;

import io.distributedlock.DistributedLock;
import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRequest;

/**
 * Reads annotations, and refuses what can't be done as it is written.
 */
class LockOperationFactory {

	static final String SEVERAL_KEYS = "has several keys, which are not supported yet; write one expression";

	private static final Duration LEAST_TTL = Duration.ofMillis(100);

	private final ConfigurableBeanFactory beanFactory;

	private final KeyExpressionParser expressions;

	LockOperationFactory(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.expressions = new KeyExpressionParser(beanFactory);
	}

	/**
	 * Resolve the lock of a method.
	 * @throws InvalidLockDeclarationException if the annotation can't do what it says
	 */
	LockOperation create(Method method, Class<?> targetClass, LockDeclaration declaration) {
		DistributedLock annotation = declaration.annotation();
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		AttributeReader reader = new AttributeReader(this.beanFactory::resolveEmbeddedValue, specific, userClass);
		boolean scheduled = isScheduled(method) || isScheduled(specific);
		DeclarationRules.check(annotation, specific, userClass, scheduled, reader);
		String name = reader.text("name", annotation.name());
		return new LockOperation(key(declaration, name, specific, userClass, reader),
				options(annotation, name, MethodText.brief(specific, userClass), reader), annotation.onBusy(),
				annotation.onLost(), fallback(annotation, specific, userClass, reader), scheduled,
				ReturnKind.of(specific, userClass).emptyResult(), LockedResult.of(specific, userClass));
	}

	private static boolean isScheduled(Method method) {
		return AnnotatedElementUtils.hasAnnotation(method, Scheduled.class)
				|| AnnotatedElementUtils.hasAnnotation(method, Schedules.class);
	}

	private LockKey key(LockDeclaration declaration, @Nullable String name, Method method, Class<?> userClass,
			AttributeReader reader) {
		String[] expressions = declaration.annotation().key();
		if (expressions.length > 1) {
			throw reader.invalid("key", SEVERAL_KEYS);
		}
		if (expressions.length == 0) {
			String key = (name != null) ? name : MethodText.of(method, userClass);
			try {
				return new LockKey.Fixed(LockRequest.of(key));
			}
			catch (InvalidLockRequestException ex) {
				throw reader.invalid((name != null) ? "name" : null, ex.getMessage() + "; write a shorter name");
			}
		}
		try {
			KeyExpression expression = this.expressions.parse(expressions[0], method, userClass, declaration.source());
			LockKey key = new LockKey.Computed((name != null) ? name + ":" : "", expression,
					MethodText.of(method, userClass));
			return expression.isLiteral() ? new LockKey.Fixed(key.request(null, new Object[0])) : key;
		}
		catch (InvalidLockRequestException ex) {
			throw reader.invalid("key", ex.getMessage());
		}
		catch (IllegalArgumentException ex) {
			throw reader.invalid("key", "\"" + expressions[0] + "\" " + ex.getMessage());
		}
	}

	private static LockOptions options(DistributedLock annotation, @Nullable String name, String brief,
			AttributeReader reader) {
		Duration ttl = reader.duration("ttl", annotation.ttl(), LEAST_TTL);
		Duration waitTime = reader.duration("waitTime", annotation.waitTime(), Duration.ZERO);
		Duration minHold = reader.duration("minHold", annotation.minHold(), Duration.ZERO);
		Duration maxHold = reader.duration("maxHold", annotation.maxHold(), LEAST_TTL);
		if (maxHold != null && !annotation.renew()) {
			throw reader.invalid("maxHold", "has no meaning with renew=false: without renewal the lease ends with its"
					+ " ttl; leave one of the two away");
		}
		if (minHold != null && maxHold != null && minHold.compareTo(maxHold) > 0) {
			throw reader.invalid("minHold", "is longer than maxHold (" + annotation.minHold() + " against "
					+ annotation.maxHold() + "); raise maxHold or lower minHold");
		}
		return new LockOptions((name != null) ? name : brief, ttl, waitTime, minHold, maxHold, annotation.renew(),
				annotation.fenced(), reader.text("backend", annotation.backend()));
	}

	private static @Nullable FallbackMethod fallback(DistributedLock annotation, Method method, Class<?> userClass,
			AttributeReader reader) {
		String name = reader.text("fallback", annotation.fallback());
		if (name == null) {
			return null;
		}
		FallbackMethod fallback;
		try {
			fallback = FallbackMethod.find(name, method, userClass);
		}
		catch (IllegalArgumentException ex) {
			throw reader.invalid("fallback", ex.getMessage());
		}
		if (LockDeclaration.find(fallback.method(), userClass).stream().anyMatch((own) -> !own.onType())) {
			throw reader.invalid("fallback", "'" + name + "' is annotated itself, but a fallback runs without a lock;"
					+ " let it call another bean for work that needs one");
		}
		return fallback;
	}

}
