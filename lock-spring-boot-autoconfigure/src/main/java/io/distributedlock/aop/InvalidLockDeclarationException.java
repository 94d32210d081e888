package io.distributedlock.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A {@link io.distributedlock.DistributedLock} annotation can't do what it says, where it
 * says so. Ends the start; the message names bean, method and attribute and says what to
 * write.
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
	 * Return the method that is to be locked.
	 * @return its class, name and parameter types
	 */
	public String method() {
		return this.method;
	}

	/**
	 * Return the attribute of the annotation that is at fault.
	 * @return its name, or {@code null} if it is none of them
	 */
	public @Nullable String attribute() {
		return this.attribute;
	}

	/**
	 * Return the bean whose method it is.
	 * @return its name, or {@code null} if it was not found by way of a bean
	 */
	public @Nullable String beanName() {
		return this.beanName;
	}

}
