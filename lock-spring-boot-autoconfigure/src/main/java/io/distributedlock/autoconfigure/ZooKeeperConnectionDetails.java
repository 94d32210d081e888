package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Connection details of the ZooKeeper of the locks. A bean of this type replaces
 * {@code lock.zookeeper.connect-string}, {@code lock.zookeeper.auth} and
 * {@code lock.zookeeper.ssl.bundle}.
 *
 * @since 0.1.0
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/**
	 * Return the servers, as a list of {@code host:port} separated by commas, optionally
	 * followed by a chroot path.
	 * @return the connect string
	 */
	String getConnectString();

	/**
	 * Return the credentials of ZooKeeper's scheme {@code digest}: {@code user:password}.
	 * @return the credentials, or {@code null} to connect without authentication
	 */
	default @Nullable String getAuth() {
		return null;
	}

	/**
	 * Return the keys and certificates for TLS.
	 * @return the bundle, or {@code null} for connections without TLS
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
