package io.distributedlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Connection details of the etcd of the locks. A bean of this type replaces
 * {@code lock.etcd.endpoints}, {@code lock.etcd.user}, {@code lock.etcd.password} and
 * {@code lock.etcd.ssl.bundle}.
 *
 * @since 0.1.0
 */
public interface EtcdConnectionDetails extends ConnectionDetails {

	/**
	 * Return the members of the cluster, each as {@code host:port}, optionally with
	 * {@code http://} or {@code https://}. The scheme decides whether connections use
	 * TLS, and is the same for all members. Without a scheme, connections use TLS if
	 * there is an {@linkplain #getSslBundle() SSL bundle}.
	 * @return the members, at least one
	 */
	List<String> getEndpoints();

	/**
	 * Return the user.
	 * @return the user, or {@code null} to connect without authentication
	 */
	default @Nullable String getUser() {
		return null;
	}

	/**
	 * Return the password of the user.
	 * @return the password, or {@code null} if there is no user
	 */
	default @Nullable String getPassword() {
		return null;
	}

	/**
	 * Return the keys and certificates for TLS.
	 * @return the bundle, or {@code null} for connections without TLS, or, if the members
	 * begin with {@code https://}, for the certificates that the platform trusts
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
