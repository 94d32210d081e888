package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockKeys;
import io.distributedlock.spi.KeyTexts;

/**
 * A parsed and checked expression.
 *
 * @param text the expression as it was written
 * @param parsed the expression, which compiles itself after some calls
 * @param variables the parameters that it reads, by the names that it uses
 * @param method the method, for the root object
 * @param targetClass the class, for the root object
 * @param shared a context with everything except root object and variables
 * @param texts converts values to keys
 */
record KeyExpression(String text, SpelExpression parsed, Map<String, Integer> variables, Method method,
		Class<?> targetClass, StandardEvaluationContext shared, KeyTexts texts) {

	/**
	 * Return whether the expression yields the same key for every call.
	 */
	boolean isLiteral() {
		return this.parsed.getAST() instanceof Literal;
	}

	/**
	 * Return the type of the parameter that the expression consists of.
	 * @return the declared type, or {@code null} if the expression is more than that
	 */
	@Nullable Class<?> typeOfParameter() {
		return isOneParameter() ? this.method.getParameterTypes()[this.variables.values().iterator().next()] : null;
	}

	/**
	 * Return the keys that the expression yields for a call.
	 * @throws InvalidLockRequestException if the result is not a key; the message
	 * continues the text of the expression
	 */
	List<String> keys(@Nullable Object target, @Nullable Object[] args) {
		if (isOneParameter()) {
			return yielded(() -> this.texts.keysOf(args[this.variables.values().iterator().next()]));
		}
		EvaluationContext context = context(target, args);
		Object value = evaluate(context);
		return yielded(() -> {
			List<String> keys = this.texts.keysOf(value);
			keys.forEach((key) -> check(key, context, target, args));
			return keys;
		});
	}

	private static List<String> yielded(Supplier<List<String>> reading) {
		try {
			return reading.get();
		}
		catch (InvalidLockRequestException ex) {
			throw new InvalidLockRequestException("yields " + ex.getMessage(), ex);
		}
	}

	private EvaluationContext context(@Nullable Object target, @Nullable Object[] args) {
		StandardEvaluationContext context = new StandardEvaluationContext(
				new KeyExpressionRoot(this.method, args, target, this.targetClass));
		this.shared.applyDelegatesTo(context);
		context.setBeanResolver(this.shared.getBeanResolver());
		this.variables.forEach((name, index) -> context.setVariable(name, args[index]));
		return context;
	}

	private @Nullable Object evaluate(EvaluationContext context) {
		try {
			return this.parsed.getValue(context);
		}
		catch (InvalidLockRequestException ex) {
			throw new InvalidLockRequestException("adds " + ex.getMessage(), ex);
		}
		catch (RuntimeException ex) {
			throw new InvalidLockRequestException("can't be evaluated: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Refuse a key with {@code null} as an operand, or with the default text of an
	 * argument or of the target. That text shows the object's identity, and may come from
	 * a method that the expression calls.
	 */
	private void check(String key, EvaluationContext context, @Nullable Object target, @Nullable Object[] args) {
		if (key.contains("null")) {
			refuseAddedNull(this.parsed.getAST(), context);
		}
		for (Object arg : args) {
			refuseAddress(key, arg);
		}
		refuseAddress(key, target);
	}

	private static void refuseAddress(String key, @Nullable Object object) {
		if (object != null && KeyTexts.showsAddress(key, object)) {
			throw new InvalidLockRequestException("'" + LockKeys.printable(key) + "', which has the text that a "
					+ object.getClass().getTypeName() + " has by default, and differs between JVMs");
		}
	}

	/**
	 * Refuse {@code null} as an operand of a {@code +}, in the parts of the expression
	 * that were evaluated for this call.
	 */
	private static void refuseAddedNull(SpelNode node, EvaluationContext context) {
		if (node instanceof Projection || node instanceof Selection) {
			// Its operands belong to the elements.
			return;
		}
		if (node instanceof Ternary) {
			boolean first = Boolean.TRUE.equals(node.getChild(0).getValue(new ExpressionState(context)));
			refuseAddedNull(node.getChild(0), context);
			refuseAddedNull(node.getChild(first ? 1 : 2), context);
			return;
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (node instanceof OpPlus && !(child instanceof OpPlus)
					&& child.getValue(new ExpressionState(context)) == null) {
				throw new InvalidLockRequestException(
						"null for " + child.toStringAST() + ", which is no part of a key");
			}
			refuseAddedNull(child, context);
		}
	}

	/**
	 * The most frequent form needs no evaluation.
	 */
	private boolean isOneParameter() {
		return this.variables.size() == 1 && this.text.equals("#" + this.variables.keySet().iterator().next());
	}

}
