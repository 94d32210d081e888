package io.distributedlock.aop;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * Walks the syntax tree of a key expression. Refuses parts that can only fail at a call,
 * or yield the same key for all calls.
 */
class KeyExpressionCheck {

	private static final Set<String> ROOT = Set.of("method", "args", "target", "targetClass");

	private static final Set<String> BUILT_IN = Set.of("root", "this");

	private final MethodParameters parameters;

	private final Predicate<String> beanExists;

	private final Map<String, Integer> used = new LinkedHashMap<>();

	KeyExpressionCheck(MethodParameters parameters, Predicate<String> beanExists) {
		this.parameters = parameters;
		this.beanExists = beanExists;
	}

	/**
	 * Check a whole expression.
	 * @return the parameters that it reads, by the names that it uses
	 * @throws IllegalArgumentException with the mistake in it
	 */
	Map<String, Integer> check(SpelNode expression) {
		if (expression instanceof InlineList list) {
			if (list.getChildCount() < 2) {
				throw new IllegalArgumentException(
						"is a list in braces; a key is an expression as it is: write for example #id");
			}
		}
		if (expression instanceof InlineMap) {
			throw new IllegalArgumentException("is a map, which is no key");
		}
		visit(expression, true, true);
		return this.used;
	}

	/**
	 * Check a node and its descendants.
	 * @param first whether the node is the first of its path, so that it is read from the
	 * root
	 * @param rootIsOurs whether names are read from our root object here, and not from an
	 * element of a collection
	 */
	private void visit(SpelNode node, boolean first, boolean rootIsOurs) {
		if (node instanceof PropertyOrFieldReference property) {
			checkProperty(property.getName(), first && rootIsOurs);
		}
		else if (node instanceof MethodReference method) {
			checkMethod(method.getName(), first && rootIsOurs);
		}
		else if (node instanceof VariableReference || node instanceof FunctionReference) {
			checkVariable(node);
		}
		else if (node instanceof StringLiteral literal) {
			checkText(String.valueOf(literal.getLiteralValue().getValue()));
		}
		else if (node instanceof BeanReference) {
			checkBean(beanName(node));
		}
		visitChildren(node, rootIsOurs);
	}

	private void visitChildren(SpelNode node, boolean rootIsOurs) {
		boolean chain = node instanceof CompoundExpression;
		boolean elements = node instanceof Projection || node instanceof Selection;
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if (!isNameOfEntry(node, i)) {
				boolean first = !chain || i == 0 || (i == 1 && isRootVariable(node.getChild(0)));
				visit(child, first, rootIsOurs && !elements);
			}
		}
	}

	/**
	 * In {@code map[key]} and <code>{key: value}</code> the key is a name that is not
	 * read from an object.
	 */
	private static boolean isNameOfEntry(SpelNode node, int child) {
		return node.getChild(child) instanceof PropertyOrFieldReference
				&& (node instanceof Indexer || (node instanceof InlineMap && child % 2 == 0));
	}

	private static boolean isRootVariable(SpelNode node) {
		return node instanceof VariableReference && BUILT_IN.contains(node.toStringAST().substring(1));
	}

	private void checkProperty(String name, boolean ofRoot) {
		if (ofRoot && !ROOT.contains(name)) {
			String variable = this.parameters.variables().containsKey(name) ? ", #" + name + " for the parameter" : "";
			throw new IllegalArgumentException("reads the property " + name + " of the root object, which has only"
					+ " method, args, target and targetClass; write '" + name + "' in quotes for the text" + variable
					+ ", or use the attribute name");
		}
	}

	private void checkMethod(String name, boolean ofRoot) {
		if (ofRoot && !ROOT.contains(name)) {
			throw new IllegalArgumentException("`" + name + "()` calls a method of the root object, which has only"
					+ " method, args, target and targetClass; write target." + name + "() for one of the bean");
		}
	}

	private void checkVariable(SpelNode node) {
		String name = node.toStringAST().substring(1);
		if (node instanceof FunctionReference) {
			throw new IllegalArgumentException("#" + name + " calls a function, and there is none; call a method of a"
					+ " bean as in @bean.method(), or a static one as in T(some.Type).method()");
		}
		Integer index = this.parameters.variables().get(name);
		if (index != null) {
			this.used.put(name, index);
		}
		else if (!BUILT_IN.contains(name)) {
			throw new IllegalArgumentException(
					"reads the unknown variable #" + name + "; " + this.parameters.describe());
		}
	}

	static String beanName(SpelNode reference) {
		return reference.toStringAST().replaceAll("^[@&]'?|'$", "");
	}

	private void checkBean(String name) {
		if (!this.beanExists.test(name)) {
			throw new IllegalArgumentException("@" + name + " is no known bean");
		}
	}

	/**
	 * Text in quotes is taken literally: text that looks like a template would be the
	 * same key for all calls.
	 */
	private void checkText(String text) {
		if (text.contains("${") || text.contains("#{")) {
			throw new IllegalArgumentException("'" + text + "' is taken as it stands, nothing is put in for ${} and"
					+ " #{} in a key; write the placeholder into the attribute name, and variables outside of quotes");
		}
		for (String variable : this.parameters.variables().keySet()) {
			String name = Pattern.quote(variable);
			if (Pattern.compile("#" + name + "\\b|\\{" + name + "}").matcher(text).find()) {
				throw new IllegalArgumentException("'" + text + "' is taken as it stands, nothing is put in for "
						+ variable + "; write #" + variable + " outside of quotes");
			}
		}
	}

}
