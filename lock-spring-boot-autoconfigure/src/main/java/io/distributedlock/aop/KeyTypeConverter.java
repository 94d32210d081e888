package io.distributedlock.aop;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardTypeConverter;

import io.distributedlock.spi.KeyTexts;

/**
 * Converts the operands and results of key expressions to text. Objects are accepted only
 * if their text is the same in every JVM.
 */
final class KeyTypeConverter implements TypeConverter {

	private final TypeConverter delegate = new StandardTypeConverter();

	private final KeyTexts texts;

	KeyTypeConverter(KeyTexts texts) {
		this.texts = texts;
	}

	@Override
	public boolean canConvert(@Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
		return targetType.getType() == String.class || this.delegate.canConvert(sourceType, targetType);
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor sourceType,
			TypeDescriptor targetType) {
		if (targetType.getType() == String.class && value != null) {
			return this.texts.textOf(value);
		}
		return this.delegate.convertValue(value, sourceType, targetType);
	}

}
