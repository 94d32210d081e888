package io.distributedlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * The etcd that the properties name.
 *
 * @param properties the properties
 * @param bundles where SSL bundles are
 */
record PropertiesEtcdConnectionDetails(LockEtcdProperties properties,
		ObjectProvider<SslBundles> bundles) implements EtcdConnectionDetails {

	@Override
	public List<String> getEndpoints() {
		return this.properties.endpoints();
	}

	@Override
	public @Nullable String getUser() {
		return this.properties.user();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.password();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		String name = this.properties.ssl().bundle();
		if (!StringUtils.hasText(name)) {
			return null;
		}
		try {
			return this.bundles.getObject().getBundle(name);
		}
		catch (NoSuchSslBundleException | NoSuchBeanDefinitionException ex) {
			throw new LockStartException(
					"The SSL bundle '" + name + "', which 'lock.etcd.ssl.bundle' names, does not exist.",
					"Define it with 'spring.ssl.bundle', or name another one.", ex);
		}
	}

}
