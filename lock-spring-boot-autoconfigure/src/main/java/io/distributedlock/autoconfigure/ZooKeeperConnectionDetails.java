package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Where the ZooKeeper of the locks is. A bean of this type takes the place of
 * {@code lock.zookeeper.connect-string}, {@code lock.zookeeper.auth} and
 * {@code lock.zookeeper.ssl.bundle}.
 *
 * @since 0.1.0
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/**
	 * Return the servers, as a list of {@code host:port} with commas between, and below
	 * which path of theirs everything is, if that is not the topmost.
	 * @return the connect string
	 */
	String getConnectString();

	/**
	 * Return who to be, by ZooKeeper's scheme {@code digest}: {@code user:password}.
	 * @return the user and the password, or {@code null} for nobody
	 */
	default @Nullable String getAuth() {
		return null;
	}

	/**
	 * Return the keys and certificates of connections by TLS.
	 * @return the bundle, or {@code null} for connections without TLS
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
