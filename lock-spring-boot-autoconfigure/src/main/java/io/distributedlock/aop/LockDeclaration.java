package io.distributedlock.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

import io.distributedlock.DistributedLock;

/**
 * An annotation that applies to a method of a class. The nearest place wins: on the
 * method or one that it overrides, on the class or one that it extends, on a method of an
 * interface, on an interface. Composed annotations count like direct ones, and where a
 * place has several all of them apply, as do those of interfaces that know nothing of
 * each other: none of them is there in vain.
 *
 * @param source the method or class that the annotation is written on
 */
record LockDeclaration(DistributedLock annotation, @Nullable Object source, boolean onType) {

	/**
	 * Find the declarations that apply to a method.
	 * @param method the method, of the class or of an interface
	 * @param targetClass the class whose instance is called
	 * @return the declarations; none for a method without a lock
	 */
	static List<LockDeclaration> find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		List<LockDeclaration> declarations = on(specific, SearchStrategy.SUPERCLASS, false);
		boolean coveredByType = isCoveredByType(specific);
		if (declarations.isEmpty() && coveredByType) {
			declarations = on(userClass, SearchStrategy.SUPERCLASS, true);
		}
		if (declarations.isEmpty() && coveredByType) {
			declarations = onInterfaces(specific, userClass);
		}
		return declarations;
	}

	/**
	 * A type stands for its public methods; not for what every object has, which has to
	 * work at any time.
	 */
	private static boolean isCoveredByType(Method method) {
		int modifiers = method.getModifiers();
		return Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers) && !ReflectionUtils.isObjectMethod(method);
	}

	private static List<LockDeclaration> onInterfaces(Method specific, Class<?> userClass) {
		Map<Class<?>, List<LockDeclaration>> onMethods = new LinkedHashMap<>();
		Map<Class<?>, List<LockDeclaration>> onTypes = new LinkedHashMap<>();
		for (Class<?> candidate : ClassUtils.getAllInterfacesForClass(userClass)) {
			Method declared = declaredBy(candidate, specific, userClass);
			if (declared != null) {
				onMethods.put(candidate, on(declared, SearchStrategy.TYPE_HIERARCHY, false));
				onTypes.put(candidate, on(candidate, SearchStrategy.DIRECT, true));
			}
		}
		List<LockDeclaration> declarations = nearest(onMethods);
		return declarations.isEmpty() ? nearest(onTypes) : declarations;
	}

	/**
	 * What an interface says takes the place of what those say that it extends.
	 */
	private static List<LockDeclaration> nearest(Map<Class<?>, List<LockDeclaration>> byInterface) {
		byInterface.values().removeIf(List::isEmpty);
		return byInterface.entrySet()
			.stream()
			.filter((entry) -> byInterface.keySet()
				.stream()
				.noneMatch((other) -> other != entry.getKey() && entry.getKey().isAssignableFrom(other)))
			.flatMap((entry) -> entry.getValue().stream())
			.distinct()
			.toList();
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

	private static List<LockDeclaration> on(AnnotatedElement element, SearchStrategy strategy, boolean onType) {
		List<MergedAnnotation<DistributedLock>> all = MergedAnnotations.from(element, strategy)
			.stream(DistributedLock.class)
			.toList();
		int nearest = all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
		return all.stream()
			.filter((annotation) -> annotation.getAggregateIndex() == nearest)
			.map((annotation) -> new LockDeclaration(annotation.synthesize(), annotation.getSource(), onType))
			.distinct()
			.toList();
	}

}
