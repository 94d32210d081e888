package io.distributedlock.aop;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.converter.Converter;
import org.springframework.util.ClassUtils;

import io.distributedlock.InvalidLockRequestException;

/**
 * Converts objects to the text of keys with beans of the type
 * {@code Converter<T, String>}: the converter for the class of the object, or for its
 * nearest supertype.
 */
final class KeyConverters implements Function<Object, @Nullable String> {

	private final ListableBeanFactory beanFactory;

	private final Map<Class<?>, Optional<String>> beanNames = new ConcurrentHashMap<>();

	KeyConverters(ListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public @Nullable String apply(Object object) {
		return this.beanNames.computeIfAbsent(object.getClass(), this::find)
			.map((name) -> convert(name, object))
			.orElse(null);
	}

	@SuppressWarnings("unchecked")
	private String convert(String beanName, Object object) {
		Converter<Object, String> converter = this.beanFactory.getBean(beanName, Converter.class);
		String text = converter.convert(object);
		if (text == null) {
			throw new InvalidLockRequestException("null, which is no key: the converter '" + beanName
					+ "' gives it for a " + object.getClass().getTypeName());
		}
		return text;
	}

	private Optional<String> find(Class<?> type) {
		for (Class<?> candidate : lineage(type)) {
			String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory,
					ResolvableType.forClassWithGenerics(Converter.class, candidate, String.class));
			if (names.length > 1) {
				throw new InvalidLockRequestException(
						"a " + type.getTypeName() + ", for which there are several converters: " + List.of(names));
			}
			if (names.length == 1) {
				return Optional.of(names[0]);
			}
		}
		return Optional.empty();
	}

	private static List<Class<?>> lineage(Class<?> type) {
		Set<Class<?>> lineage = new LinkedHashSet<>();
		for (Class<?> parent = type; parent != null && parent != Object.class; parent = parent.getSuperclass()) {
			lineage.add(parent);
		}
		lineage.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
		return new ArrayList<>(lineage);
	}

}
