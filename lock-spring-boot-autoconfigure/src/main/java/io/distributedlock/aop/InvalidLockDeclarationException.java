package io.distributedlock.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a {@link io.distributedlock.DistributedLock} annotation can't have its
 * declared effect on its method. Fails the startup. If only the result of a call shows
 * that the lock does not cover its work, the call fails instead. The message names bean,
 * method and attribute as far as they are known, and what to write instead.
 *
 * @since 0.1.0
 */
public final class InvalidLockDeclarationException extends IllegalStateException {

	private final String method;

	private final @Nullable String attribute;

	private final String problem;

	private final @Nullable String beanName;

	private InvalidLockDeclarationException(String method, @Nullable String attribute, String problem,
			@Nullable String beanName, @Nullable Throwable cause) {
		super(message(method, attribute, problem, beanName), cause);
		this.method = method;
		this.attribute = attribute;
		this.problem = problem;
		this.beanName = beanName;
	}

	InvalidLockDeclarationException(Method method, Class<?> targetClass, @Nullable String attribute, String problem) {
		this(MethodSignature.of(method, targetClass), attribute, problem, null, null);
	}

	private static String message(String method, @Nullable String attribute, String problem,
			@Nullable String beanName) {
		StringBuilder message = new StringBuilder("@DistributedLock on ").append(method);
		if (beanName != null) {
			message.append(" (bean '").append(beanName).append("')");
		}
		if (attribute != null) {
			message.append(", ").append(attribute);
		}
		return message.append(": ").append(problem).toString();
	}

	InvalidLockDeclarationException ofBean(String name) {
		return new InvalidLockDeclarationException(this.method, this.attribute, this.problem, name, this);
	}

	/**
	 * Return the annotated method.
	 * @return its class, name and parameter types
	 */
	public String method() {
		return this.method;
	}

	/**
	 * Return the attribute of the annotation that is at fault.
	 * @return its name, or {@code null} if the mistake is not in an attribute
	 */
	public @Nullable String attribute() {
		return this.attribute;
	}

	/**
	 * Return the bean that has the method.
	 * @return its name, or {@code null} if the method was not found through a bean
	 */
	public @Nullable String beanName() {
		return this.beanName;
	}

}
