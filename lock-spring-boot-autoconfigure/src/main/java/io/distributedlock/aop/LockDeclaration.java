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
 * An annotation that applies to a method of a class. The nearest place wins: the method
 * or one that it overrides, the class or one that it extends, a method of an interface,
 * an interface. Composed annotations count like direct ones. If a place has several, all
 * of them apply, and so do those of unrelated interfaces.
 *
 * @param source the method or class that the annotation is written on
 */
record LockDeclaration(DistributedLock annotation, @Nullable Object source, boolean onType) {

	/**
	 * Find the declarations that apply to a method.
	 * @param method the method, of the class or of an interface
	 * @param targetClass the class whose instance is called
	 * @return the declarations; empty for a method without a lock
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
	 * An annotation on a type covers its public methods, except those of {@code Object},
	 * which have to work at any time.
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
	 * The declarations of an interface replace those of the interfaces that it extends.
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
	 * Go from the interface to the class, because generic parameters are resolved only in
	 * this direction.
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
