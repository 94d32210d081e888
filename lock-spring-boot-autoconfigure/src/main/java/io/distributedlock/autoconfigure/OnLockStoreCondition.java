package io.distributedlock.autoconfigure;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

import io.distributedlock.autoconfigure.LockStore.Absence;

/**
 * Evaluates {@code lock.backend} and {@code lock.backends}, the application's own
 * backends and the requirements of the store.
 */
class OnLockStoreCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		LockStore store = storeOf(metadata);
		ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnLockStore.class, store.name());
		ConfigurableListableBeanFactory beanFactory = Objects.requireNonNull(context.getBeanFactory());
		ConfiguredStores stores = ConfiguredStores.of(context.getEnvironment());
		String reasonAgainst = reasonAgainst(store, stores, beanFactory);
		if (reasonAgainst != null) {
			return ConditionOutcome.noMatch(message.because(reasonAgainst));
		}
		Optional<Absence> absence = store.absence(beanFactory);
		if (absence.isPresent()) {
			return ConditionOutcome.noMatch(message.because(absence.get().reason()));
		}
		return ConditionOutcome
			.match(message.because(stores.isAny() ? stores.property() + " names it" : "it is there"));
	}

	private static LockStore storeOf(AnnotatedTypeMetadata metadata) {
		Map<String, @Nullable Object> attributes = Objects
			.requireNonNull(metadata.getAnnotationAttributes(ConditionalOnLockStore.class.getName()));
		Class<?> type = (Class<?>) Objects.requireNonNull(attributes.get("value"));
		return (LockStore) BeanUtils.instantiateClass(type);
	}

	private static @Nullable String reasonAgainst(LockStore store, ConfiguredStores stores,
			ConfigurableListableBeanFactory beanFactory) {
		if (stores.isAny()) {
			return stores.contains(store.name()) ? null : stores.property() + " names '" + stores.text() + "'";
		}
		if (store.isUsedOnlyByName()) {
			return "lock.backend does not name it";
		}
		return LockBackendResolver.applicationBackends(beanFactory).isEmpty() ? null
				: "the application has a LockBackend of its own";
	}

}
