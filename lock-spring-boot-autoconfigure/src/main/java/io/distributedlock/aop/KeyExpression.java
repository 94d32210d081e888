package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * An expression that was parsed and checked.
 *
 * @param text the expression as it was written
 * @param parsed the expression; compiles itself after some calls
 * @param variables the parameters that it reads, by the names that it uses
 * @param method the method, for the root object
 * @param targetClass the class, for the root object
 * @param shared a context that has all but root object and variables
 */
record KeyExpression(String text, SpelExpression parsed, Map<String, Integer> variables, Method method,
		Class<?> targetClass, StandardEvaluationContext shared) {

	/**
	 * Return whether the expression yields the same for every call.
	 */
	boolean isLiteral() {
		return this.parsed.getAST() instanceof Literal;
	}

	/**
	 * Return what the expression yields for a call.
	 */
	@Nullable Object evaluate(@Nullable Object target, @Nullable Object[] args) {
		if (isOneParameter()) {
			return args[this.variables.values().iterator().next()];
		}
		StandardEvaluationContext context = new StandardEvaluationContext(
				new KeyExpressionRoot(this.method, args, target, this.targetClass));
		this.shared.applyDelegatesTo(context);
		context.setBeanResolver(this.shared.getBeanResolver());
		this.variables.forEach((name, index) -> context.setVariable(name, args[index]));
		return this.parsed.getValue(context);
	}

	/**
	 * The most frequent form needs no evaluation.
	 */
	private boolean isOneParameter() {
		return this.variables.size() == 1 && this.text.equals("#" + this.variables.keySet().iterator().next());
	}

}
