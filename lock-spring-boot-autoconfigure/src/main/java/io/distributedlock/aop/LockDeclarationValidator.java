package io.distributedlock.aop;

import java.lang.reflect.Method;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockMode;
import io.distributedlock.OnBusy;

/**
 * Refuses combinations of attributes, method and other annotations that exclude each
 * other.
 */
final class LockDeclarationValidator {

	private static final Logger logger = LoggerFactory.getLogger(LockDeclarationValidator.class);

	private LockDeclarationValidator() {
	}

	static void check(DistributedLock annotation, Method method, Class<?> userClass, boolean scheduled,
			AttributeReader reader) {
		checkThatTheBodyEndsWithTheCall(method, userClass, reader);
		checkHowTheKeyIsShared(annotation, reader);
		checkWhatBusyMeans(annotation, ReturnKind.of(method, userClass), scheduled, reader);
		if (scheduled && !annotation.waitTime().isEmpty()) {
			logger.warn("{} is called by the scheduler and waits for its lock (waitTime = {}): instances that find it"
					+ " busy queue and run one after the other, and keep the scheduler's thread; omit waitTime"
					+ " to skip such runs", MethodSignature.of(method, userClass), annotation.waitTime());
		}
	}

	private static void checkHowTheKeyIsShared(DistributedLock annotation, AttributeReader reader) {
		boolean permits = !annotation.permits().isEmpty();
		if (annotation.mode() == LockMode.PERMITS && !permits) {
			throw reader.invalid("mode", "PERMITS needs a number; write it into permits");
		}
		if (!permits) {
			return;
		}
		if (annotation.mode() == LockMode.SHARED) {
			throw reader.invalid("permits", "excludes mode = SHARED; omit one of the two");
		}
		if (annotation.fenced()) {
			throw reader.invalid("permits", "excludes fenced: a guard would reject an older holder whose lease is still"
					+ " valid; omit one of the two");
		}
		if (annotation.key().length > 1) {
			throw reader.invalid("permits", "excludes several keys; write one expression");
		}
	}

	private static void checkThatTheBodyEndsWithTheCall(Method method, Class<?> userClass, AttributeReader reader) {
		if (ReturnKind.isSuspending(method)) {
			throw reader.invalid(null, "a suspending function is not supported yet: its lock would be released while"
					+ " it is suspended; use LockTemplate inside of blocking code");
		}
		Class<?> deferred = DeferredWork.findIn(ResolvableType.forMethodReturnType(method, userClass));
		if (deferred != null) {
			throw reader.invalid(null, "the return type " + deferred.getSimpleName() + " is not supported yet: the"
					+ " lock would be released before the work is done; do the work in the method and return what it"
					+ " gives, or use LockTemplate.executeAsync");
		}
		if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class)
				|| AnnotatedElementUtils.hasAnnotation(userClass, Async.class)) {
			throw reader.invalid(null, "@Async on the same method is not supported yet: the lock would be released"
					+ " before the work is done; put the lock on a method that the asynchronous one calls through"
					+ " another bean");
		}
	}

	private static void checkWhatBusyMeans(DistributedLock annotation, ReturnKind kind, boolean scheduled,
			AttributeReader reader) {
		boolean fallback = !annotation.fallback().isEmpty();
		if (fallback && annotation.onBusy() != OnBusy.DEFAULT) {
			throw reader.invalid("onBusy", annotation.onBusy() + " excludes a fallback; omit onBusy, or the fallback");
		}
		boolean skips = annotation.onBusy() == OnBusy.SKIP
				|| (annotation.onBusy() == OnBusy.DEFAULT && scheduled && !fallback);
		if (skips && !kind.hasEmptyResult()) {
			throw reader.invalid("onBusy",
					(scheduled ? "a busy lock skips a scheduled call" : "SKIP") + ", but the" + " primitive "
							+ kind.type() + " has no value for a skipped one; return void, an object or an"
							+ " Optional, or use THROW");
		}
	}

}
