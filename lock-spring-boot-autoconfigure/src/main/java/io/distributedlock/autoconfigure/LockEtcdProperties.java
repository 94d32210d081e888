package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.StringUtils;

import io.distributedlock.backend.etcd.EtcdLockSettings;

/**
 * Properties of the locks in etcd.
 *
 * @param endpoints Members of the cluster, as host:port or as URLs, all with the same
 * scheme; https:// uses TLS. Not used if the application has a Client of its own.
 * @param user User of etcd. Not used if the application has a Client of its own.
 * @param password Password of the user.
 * @param ssl TLS of the connections.
 * @param sessionTtl Time after which etcd ends the session of a silent process and frees
 * its locks; at least 2s, in whole seconds.
 * @param namespace Prefix of all names in etcd.
 */
@ConfigurationProperties("lock.etcd")
record LockEtcdProperties(@DefaultValue List<String> endpoints, @Nullable String user, @Nullable String password,
		@DefaultValue Ssl ssl, @DefaultValue("10s") Duration sessionTtl,
		@DefaultValue("locks/") String namespace) implements InitializingBean {

	private static final DurationBounds SESSION_TTL = new DurationBounds(EtcdLockSettings.MIN_SESSION_TTL,
			Duration.ofDays(1));

	/**
	 * Validates here instead of in the constructor, because a binding failure would be
	 * less specific.
	 */
	@Override
	public void afterPropertiesSet() {
		SESSION_TTL.check("lock.etcd.session-ttl", this.sessionTtl);
		if (StringUtils.hasText(this.user) != StringUtils.hasText(this.password)) {
			String missing = StringUtils.hasText(this.user) ? "password" : "user";
			throw new LockStartException(
					"Of the user and the password of the locks in etcd, the " + missing + " is missing.",
					"Set 'lock.etcd." + missing + "', or neither of the two.", null);
		}
	}

	EtcdLockSettings toSettings(LockProperties properties, InstanceId instanceId) {
		try {
			return new EtcdLockSettings(this.namespace, properties.keyPrefix(), instanceId.value(),
					properties.boundedCallTimeout(), this.sessionTtl, properties.tokenRetention());
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException(String.valueOf(ex.getMessage()), "Change the property that it names.", ex);
		}
	}

	/**
	 * Return the properties without the password, and without users and passwords in
	 * URLs.
	 */
	@Override
	public String toString() {
		return "LockEtcdProperties[endpoints=[" + LockSecrets.hideUserInfo(String.join(",", this.endpoints))
				+ "], user=" + this.user + ", password=" + LockSecrets.hide(this.password) + ", ssl=" + this.ssl
				+ ", sessionTtl=" + this.sessionTtl + ", namespace=" + this.namespace + "]";
	}

	/**
	 * TLS of the connections.
	 *
	 * @param bundle Name of the SSL bundle with the keys and certificates. By default,
	 * endpoints with https:// use the certificates that the platform trusts, and other
	 * connections are without TLS.
	 */
	record Ssl(@Nullable String bundle) {
	}

}
