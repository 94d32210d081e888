package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The variables for the parameters of a method: always {@code #p0} and {@code #a0}, and
 * the names if the compiler has kept them.
 *
 * @param variables the index of the parameter of each variable
 * @param named whether the names are known
 */
record MethodParameters(Map<String, Integer> variables, boolean named) {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/**
	 * Collect the variables of a method.
	 * @param source the method or class that the expression is written on; the names of a
	 * method take precedence over those of methods that it overrides or that override it
	 */
	static MethodParameters of(Method method, Class<?> userClass, @Nullable Object source) {
		Map<String, Integer> variables = new LinkedHashMap<>();
		for (int i = 0; i < method.getParameterCount(); i++) {
			variables.put("p" + i, i);
			variables.put("a" + i, i);
		}
		boolean named = (source instanceof Method written) && addNames(written, variables);
		for (Method sameMethod : family(method, userClass)) {
			named |= addNames(sameMethod, variables);
		}
		return new MethodParameters(variables, named);
	}

	private static boolean addNames(Method method, Map<String, Integer> variables) {
		@Nullable String @Nullable [] names = NAMES.getParameterNames(method);
		for (int i = 0; names != null && i < names.length; i++) {
			if (names[i] != null) {
				variables.putIfAbsent(names[i], i);
			}
		}
		return names != null;
	}

	/**
	 * Return the method and those that it overrides or implements, because generated
	 * subclasses lose the names.
	 */
	private static Set<Method> family(Method method, Class<?> userClass) {
		Set<Method> family = new LinkedHashSet<>();
		family.add(method);
		for (Class<?> type = method.getDeclaringClass().getSuperclass(); type != null; type = type.getSuperclass()) {
			Method overridden = ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes());
			if (overridden != null) {
				family.add(overridden);
			}
		}
		for (Class<?> candidate : ClassUtils.getAllInterfacesForClass(userClass)) {
			for (Method declared : candidate.getMethods()) {
				if (declared.getName().equals(method.getName())
						&& AopUtils.getMostSpecificMethod(declared, userClass).equals(method)) {
					family.add(declared);
				}
			}
		}
		return family;
	}

	/**
	 * Describe the variables.
	 */
	String describe() {
		if (this.variables.isEmpty()) {
			return "the method has no parameters";
		}
		String known = "known are #" + String.join(", #", new TreeSet<>(this.variables.keySet()));
		return this.named ? known
				: known + "; the names of the parameters are missing: compile with -parameters, or use #p0";
	}

}
