package io.distributedlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The etcd that the properties name.
 *
 * @param properties the properties
 * @param bundles the SSL bundles
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
		return new SslBundleLookup("lock.etcd.ssl.bundle", this.bundles).find(this.properties.ssl().bundle());
	}

}
