package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

import io.distributedlock.DistributedLock;

/**
 * Registers everything that a locked method accesses by reflection: its own declaration,
 * without which the lock would go unnoticed, its fallback, and whatever its key
 * expression reads of arguments, beans and types.
 */
final class LockedMethodHints {

	private static final MemberCategory[] READABLE = { MemberCategory.INVOKE_PUBLIC_METHODS,
			MemberCategory.ACCESS_PUBLIC_FIELDS };

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	private final RuntimeHints hints;

	private final ConfigurableListableBeanFactory beanFactory;

	private final KeyExpressionParser expressions;

	LockedMethodHints(RuntimeHints hints, ConfigurableListableBeanFactory beanFactory) {
		this.hints = hints;
		this.beanFactory = beanFactory;
		this.expressions = new KeyExpressionParser(beanFactory);
	}

	/**
	 * Make the methods of a class and of its supertypes accessible with their
	 * annotations, fallbacks included.
	 */
	void registerType(Class<?> type) {
		for (Class<?> owner = type; owner != null && owner != Object.class; owner = owner.getSuperclass()) {
			registerDeclarations(owner);
		}
		ClassUtils.getAllInterfacesForClassAsSet(type).forEach(this::registerDeclarations);
	}

	private void registerDeclarations(Class<?> type) {
		this.hints.reflection()
			.registerType(type, MemberCategory.INVOKE_DECLARED_METHODS, MemberCategory.INVOKE_PUBLIC_METHODS);
		registerComposed(MergedAnnotations.from(type, SearchStrategy.DIRECT));
		Arrays.stream(type.getDeclaredMethods())
			.forEach((method) -> registerComposed(MergedAnnotations.from(method, SearchStrategy.DIRECT)));
	}

	private void registerComposed(MergedAnnotations annotations) {
		annotations.stream(DistributedLock.class).forEach((lock) -> {
			for (MergedAnnotation<?> source = lock.getMetaSource(); source != null; source = source.getMetaSource()) {
				this.hints.reflection().registerType(source.getType(), MemberCategory.INVOKE_DECLARED_METHODS);
			}
		});
	}

	/**
	 * Register everything that the key of one lock of a method reads.
	 * @throws InvalidLockDeclarationException if the key expression is invalid
	 */
	void registerLock(Method method, Class<?> type, LockDeclaration declaration) {
		for (String text : declaration.annotation().key()) {
			try {
				KeyExpression expression = this.expressions.parse(text, method, type, declaration.source());
				expression.variables().values().forEach((index) -> registerParameter(method, index));
				registerNodes(expression.parsed().getAST());
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidLockDeclarationException(method, type, "key", "\"" + text + "\" " + ex.getMessage());
			}
		}
	}

	private void registerParameter(Method method, int index) {
		registerReadable(method.getParameterTypes()[index]);
		this.properties.registerReflectionHints(this.hints.reflection(), method.getGenericParameterTypes()[index]);
	}

	private void registerNodes(SpelNode expression) {
		Deque<SpelNode> nodes = new ArrayDeque<>();
		for (SpelNode node = expression; node != null; node = nodes.poll()) {
			if (node instanceof BeanReference) {
				registerReadable(this.beanFactory.getType(KeyExpressionCheck.beanName(node), false));
			}
			else if (node instanceof TypeReference) {
				registerReadable(new StandardTypeLocator(this.beanFactory.getBeanClassLoader())
					.findType(node.getChild(0).toStringAST().replaceAll("^'|'$", "")));
			}
			for (int i = 0; i < node.getChildCount(); i++) {
				nodes.add(node.getChild(i));
			}
		}
	}

	private void registerReadable(@Nullable Class<?> type) {
		if (type != null && !type.isPrimitive() && !type.isArray()) {
			this.hints.reflection().registerType(type, READABLE);
		}
	}

}
