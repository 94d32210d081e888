package io.distributedlock.backend.redlock;

import java.util.concurrent.CompletionStage;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;

/**
 * One of N independent Redis nodes: the way to it, and nothing of the protocol. Who
 * decides when to connect, what an answer means and for how long it is waited for is the
 * client's logic above.
 * <p>
 * Methods return at once; stages and listeners may be completed and called on any thread
 * of the node, which is never blocked there.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
public interface RedlockNode {

	/**
	 * Return the name by which all clients know this node: {@code host:port} without
	 * credentials. Part of the hash that keeps clients of different lists apart.
	 * @return the name
	 */
	String name();

	/**
	 * Open a connection to the node, by one try. The first command on it is INFO; what it
	 * said is the session's {@link NodeSession#identity()}. Scripts are loaded after
	 * that.
	 * @return the connection; completed exceptionally where it could not be opened, or
	 * INFO was refused ({@link NodeRefusedException}: trying again is no use), and never
	 * later than the connect time-out
	 */
	CompletionStage<NodeSession> connect();

	/**
	 * Subscribe to releases on a connection of its own, by one try.
	 * @param listener receives the key of each release that the node publishes
	 * @return the subscription, once the node has confirmed it
	 */
	CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener);

	/**
	 * Close every connection. What is under way fails.
	 */
	void close();

}
