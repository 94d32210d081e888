package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

import io.distributedlock.spi.KeyTexts;

/**
 * Parses the key expressions of methods, and refuses expressions that can't yield the key
 * that their author had in mind.
 */
class KeyExpressionParser {

	private static final String CONVERTER_ADVICE = "name the property or method that gives the key, as in #order.id, or"
			+ " declare a bean of type Converter<TheClass, String>";

	private final ConfigurableBeanFactory beanFactory;

	private final SpelExpressionParser parser;

	private final StandardEvaluationContext shared = new StandardEvaluationContext();

	private final KeyTexts texts;

	KeyExpressionParser(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		// Mixed: expressions that can't be compiled, or whose compiled form no longer
		// fits, are interpreted. In a native image no classes are created.
		SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, beanFactory.getBeanClassLoader()));
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
		this.texts = (beanFactory instanceof ListableBeanFactory beans)
				? new KeyTexts(new KeyConverters(beans), CONVERTER_ADVICE) : KeyTexts.PLAIN;
		this.shared.setTypeConverter(new KeyTypeConverter(this.texts));
		this.shared.setTypeLocator(new StandardTypeLocator(beanFactory.getBeanClassLoader()));
	}

	/**
	 * Parse an expression.
	 * @param source the method or class that the expression is written on
	 * @throws IllegalArgumentException with the mistake in it
	 */
	KeyExpression parse(String text, Method method, Class<?> userClass, @Nullable Object source) {
		SpelExpression expression = parse(text);
		MethodParameters parameters = MethodParameters.of(method, userClass, source);
		Map<String, Integer> variables = new KeyExpressionCheck(parameters, this.beanFactory::containsBean)
			.check(expression.getAST());
		return new KeyExpression(text, expression, variables, method, userClass, this.shared, this.texts);
	}

	private SpelExpression parse(String text) {
		if (text.isBlank()) {
			throw new IllegalArgumentException("is blank; omit it or write an expression");
		}
		try {
			return this.parser.parseRaw(text);
		}
		catch (ParseException | IllegalStateException ex) {
			String hint = (text.contains("#{") || text.contains("${"))
					? "; a key is an expression as it is, without #{} or ${}: write for example #id" : "";
			throw new IllegalArgumentException("is no valid expression (" + ex.getMessage() + ")" + hint);
		}
	}

}
