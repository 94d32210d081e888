package io.distributedlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

import io.distributedlock.backend.redlock.RedlockEndpoint;

/**
 * Connection details of the independent Redis nodes of the locks. A bean of this type
 * replaces the properties {@code lock.redlock.nodes} and {@code lock.redlock.ssl.bundle}.
 *
 * @since 0.1.0
 */
public interface RedlockConnectionDetails extends ConnectionDetails {

	/**
	 * Return all nodes, an odd number.
	 * @return the nodes
	 */
	List<RedlockEndpoint> getNodes();

	/**
	 * Return the keys and certificates for nodes with TLS.
	 * @return the bundle, or {@code null} for the certificates that the Java platform
	 * trusts
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
