package io.distributedlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where the etcd of the locks is. A bean of this type takes the place of
 * {@code lock.etcd.endpoints}, {@code lock.etcd.user}, {@code lock.etcd.password} and
 * {@code lock.etcd.ssl.bundle}.
 *
 * @since 0.1.0
 */
public interface EtcdConnectionDetails extends ConnectionDetails {

	/**
	 * Return the members of the cluster, each as {@code host:port}, with or without
	 * {@code http://} or {@code https://} before it. The scheme decides whether
	 * connections use TLS, and is the same for all members; without one they do if there
	 * is an {@linkplain #getSslBundle() SSL bundle}.
	 * @return the members, at least one
	 */
	List<String> getEndpoints();

	/**
	 * Return the user.
	 * @return the user, or {@code null} for nobody
	 */
	default @Nullable String getUser() {
		return null;
	}

	/**
	 * Return the password of the user.
	 * @return the password, or {@code null} where there is no user
	 */
	default @Nullable String getPassword() {
		return null;
	}

	/**
	 * Return the keys and certificates of connections by TLS.
	 * @return the bundle, or {@code null} for connections without TLS, or with the
	 * certificates that the platform trusts if the members begin with {@code https://}
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
