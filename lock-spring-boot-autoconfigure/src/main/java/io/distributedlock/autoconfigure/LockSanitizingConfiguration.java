package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Hides the passwords of the locks in Spring Boot's endpoints {@code env} and
 * {@code configprops}, even if they show the values of properties.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(SanitizingFunction.class)
class LockSanitizingConfiguration {

	// Compared by letters and digits only: LOCK_ETCD_PASSWORD, lock.etcd.password.
	private static final List<String> SECRETS = List.of("locketcdpassword", "lockzookeeperauth");

	private static final List<String> ADDRESSES = List.of("lockredlocknodes", "locketcdendpoints",
			"lockzookeeperconnectstring");

	// These contain other properties, as JSON or as arguments of a command.
	private static final List<String> COLLECTIONS = List.of("springapplicationjson", "sunjavacommand",
			"javatooloptions", "jdkjavaoptions", "javaopts");

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	SanitizingFunction lockSanitizingFunction() {
		return LockSanitizingConfiguration::sanitize;
	}

	private static SanitizableData sanitize(SanitizableData data) {
		String key = canonical(data.getKey());
		Object value = data.getValue();
		if (value == null) {
			return data;
		}
		if (SECRETS.contains(key) || (COLLECTIONS.contains(key) && holdsSecret(value.toString()))) {
			return data.withSanitizedValue();
		}
		return ADDRESSES.stream().anyMatch(key::startsWith) ? data.withValue(withoutUserInfo(value)) : data;
	}

	private static String canonical(String text) {
		return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
	}

	private static boolean holdsSecret(String properties) {
		String all = canonical(properties);
		boolean names = (all.contains("etcd") && all.contains("password"))
				|| (all.contains("zookeeper") && all.contains("auth"));
		return all.contains("lock") && (names || properties.indexOf('@') >= 0);
	}

	private static @Nullable Object withoutUserInfo(@Nullable Object value) {
		if (value instanceof CharSequence addresses) {
			return LockSecrets.hideUserInfo(addresses.toString());
		}
		return (value instanceof Collection<?> addresses)
				? addresses.stream().map(LockSanitizingConfiguration::withoutUserInfo).toList() : value;
	}

}
