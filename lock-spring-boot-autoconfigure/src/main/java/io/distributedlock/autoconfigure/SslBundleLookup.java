package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * Finds the SSL bundle that a property names.
 *
 * @param property the property
 * @param bundles the SSL bundles
 */
record SslBundleLookup(String property, ObjectProvider<SslBundles> bundles) {

	/**
	 * Return the bundle.
	 * @param name the value of the property
	 * @return the bundle, or {@code null} if the property names none
	 * @throws LockStartException if there is no such bundle
	 */
	@Nullable SslBundle find(@Nullable String name) {
		if (!StringUtils.hasText(name)) {
			return null;
		}
		try {
			return this.bundles.getObject().getBundle(name);
		}
		catch (NoSuchSslBundleException | NoSuchBeanDefinitionException ex) {
			throw new LockStartException(
					"The SSL bundle '" + name + "', which '" + this.property + "' names, does not exist.",
					"Define it with 'spring.ssl.bundle', or name another one.", ex);
		}
	}

}
