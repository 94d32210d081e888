package io.distributedlock.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.distributedlock.DistributedLock;

/**
 * The annotation that applies to a method of a class. The nearest one wins: on the method
 * or one that it overrides, on the class or one that it extends, on a method of an
 * interface, on an interface. Composed annotations count like direct ones.
 *
 * @param source the method or class that the annotation is written on
 */
record LockDeclaration(DistributedLock annotation, @Nullable Object source, boolean onType) {

	/**
	 * Find the declaration that applies to a method.
	 * @param method the method, of the class or of an interface
	 * @param targetClass the class whose instance is called
	 * @return the declaration, or {@code null} for a method without a lock
	 */
	static @Nullable LockDeclaration find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		LockDeclaration declaration = on(specific, SearchStrategy.SUPERCLASS, false);
		boolean coveredByType = isCoveredByType(specific);
		if (declaration == null && coveredByType) {
			declaration = on(userClass, SearchStrategy.SUPERCLASS, true);
		}
		if (declaration == null && coveredByType) {
			declaration = onInterface(specific, userClass);
		}
		return declaration;
	}

	/**
	 * A type stands for its public methods; not for what every object has, which has to
	 * work at any time.
	 */
	private static boolean isCoveredByType(Method method) {
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers) && !ReflectionUtils.isObjectMethod(method);
	}

	private static @Nullable LockDeclaration onInterface(Method specific, Class<?> userClass) {
		LockDeclaration onType = null;
		for (Class<?> candidate : ClassUtils.getAllInterfacesForClass(userClass)) {
			Method declared = declaredBy(candidate, specific, userClass);
			if (declared != null) {
				LockDeclaration onMethod = on(declared, SearchStrategy.TYPE_HIERARCHY, false);
				if (onMethod != null) {
					return onMethod;
				}
				onType = (onType != null) ? onType : on(candidate, SearchStrategy.DIRECT, true);
			}
		}
		return onType;
	}

	/**
	 * Go from the interface to the class, because only that way generic parameters are
	 * resolved.
	 */
	private static @Nullable Method declaredBy(Class<?> type, Method specific, Class<?> userClass) {
		for (Method candidate : type.getMethods()) {
			if (candidate.getName().equals(specific.getName())
					&& candidate.getParameterCount() == specific.getParameterCount()
					&& !Modifier.isStatic(candidate.getModifiers())
					&& AopUtils.getMostSpecificMethod(candidate, userClass).equals(specific)) {
				return candidate;
			}
		}
		return null;
	}

	private static @Nullable LockDeclaration on(AnnotatedElement element, SearchStrategy strategy, boolean onType) {
		MergedAnnotation<DistributedLock> annotation = MergedAnnotations.from(element, strategy)
			.get(DistributedLock.class);
		return annotation.isPresent() ? new LockDeclaration(annotation.synthesize(), annotation.getSource(), onType)
				: null;
	}

}
