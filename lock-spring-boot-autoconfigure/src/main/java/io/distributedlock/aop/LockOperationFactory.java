package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
 * Reads annotations, and refuses those that can't have their declared effect.
 */
class LockOperationFactory {

	private static final Logger logger = LoggerFactory.getLogger(LockOperationFactory.class);

	private static final Duration LEAST_TTL = Duration.ofMillis(100);

	private final ConfigurableBeanFactory beanFactory;

	private final KeyExpressionParser expressions;

	LockOperationFactory(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.expressions = new KeyExpressionParser(beanFactory);
	}

	/**
	 * Resolve the lock of a method.
	 * @throws InvalidLockDeclarationException if the annotation can't have its declared
	 * effect
	 */
	LockOperation create(Method method, Class<?> targetClass, LockDeclaration declaration) {
		DistributedLock annotation = declaration.annotation();
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		AttributeReader reader = new AttributeReader(this.beanFactory::resolveEmbeddedValue, specific, userClass);
		boolean scheduled = isScheduled(method) || isScheduled(specific);
		LockDeclarationValidator.check(annotation, specific, userClass, scheduled, reader);
		String name = reader.text("name", annotation.name());
		LockOptions options = options(annotation, name, MethodSignature.brief(specific, userClass), reader);
		warnOfLiteralName(name, declaration, specific, userClass);
		warnOfMissedRuns(options, specific, userClass);
		return new LockOperation(key(declaration, name, specific, userClass, reader), options, annotation.onBusy(),
				annotation.onLost(), fallback(annotation, specific, userClass, reader), scheduled,
				ReturnKind.of(specific, userClass).emptyResult(), LockedResult.of(specific, userClass));
	}

	private static boolean isScheduled(Method method) {
		return AnnotatedElementUtils.hasAnnotation(method, Scheduled.class)
				|| AnnotatedElementUtils.hasAnnotation(method, Schedules.class);
	}

	/**
	 * Warn of a name that reads like an expression. It is taken literally, so all calls
	 * share one lock.
	 */
	private static void warnOfLiteralName(@Nullable String name, LockDeclaration declaration, Method method,
			Class<?> userClass) {
		if (name == null || !name.contains("#")) {
			return;
		}
		for (String variable : MethodParameters.of(method, userClass, declaration.source()).variables().keySet()) {
			if (Pattern.compile("#" + Pattern.quote(variable) + "\\b").matcher(name).find()) {
				logger
					.warn("{} has name = \"{}\": a name is taken as it stands, so that all calls share one lock; write"
							+ " #{} into the attribute key", MethodSignature.of(method, userClass), name, variable);
				return;
			}
		}
	}

	private void warnOfMissedRuns(LockOptions options, Method method, Class<?> userClass) {
		Duration minHold = options.minHold();
		if (minHold == null) {
			return;
		}
		SchedulePeriod.shortestOf(method, this.beanFactory::resolveEmbeddedValue)
			.filter((period) -> minHold.compareTo(period.length().multipliedBy(9).dividedBy(10)) > 0)
			.ifPresent((period) -> logger.warn("{} holds its lock for at least {} (minHold), which is nearly as long as"
					+ " the time between its runs or longer ({}): runs will find the lock taken and be skipped; omit"
					+ " minHold, it follows the schedule", MethodSignature.of(method, userClass), minHold,
					period.attribute()));
	}

	private LockKey key(LockDeclaration declaration, @Nullable String name, Method method, Class<?> userClass,
			AttributeReader reader) {
		String[] expressions = declaration.annotation().key();
		if (expressions.length == 0) {
			String key = (name != null) ? name : MethodSignature.of(method, userClass);
			try {
				return new LockKey.Fixed(LockRequest.of(key));
			}
			catch (InvalidLockRequestException ex) {
				throw reader.invalid((name != null) ? "name" : null, ex.getMessage() + "; write a shorter name");
			}
		}
		List<KeyExpression> parsed = Arrays.stream(expressions)
			.map((text) -> parse(text, method, userClass, declaration, reader))
			.toList();
		LockKey key = new LockKey.Computed((name != null) ? name + ":" : "", parsed,
				MethodSignature.of(method, userClass));
		try {
			return parsed.stream().allMatch(KeyExpression::isLiteral)
					? new LockKey.Fixed(key.request(null, new Object[0])) : key;
		}
		catch (InvalidLockRequestException ex) {
			throw reader.invalid("key", ex.getMessage());
		}
	}

	private KeyExpression parse(String text, Method method, Class<?> userClass, LockDeclaration declaration,
			AttributeReader reader) {
		try {
			return this.expressions.parse(text, method, userClass, declaration.source());
		}
		catch (IllegalArgumentException ex) {
			throw reader.invalid("key", "\"" + text + "\" " + ex.getMessage());
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
					+ " ttl; omit one of the two");
		}
		if (minHold != null && maxHold != null && minHold.compareTo(maxHold) > 0) {
			throw reader.invalid("minHold", "is longer than maxHold (" + annotation.minHold() + " against "
					+ annotation.maxHold() + "); raise maxHold or lower minHold");
		}
		return new LockOptions((name != null) ? name : brief, ttl, waitTime, minHold, maxHold, annotation.renew(),
				annotation.fenced(), annotation.mode(), reader.count("permits", annotation.permits()),
				reader.text("backend", annotation.backend()));
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
