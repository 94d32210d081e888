package io.distributedlock.backend.redlock;

import java.util.concurrent.CompletionStage;

import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseSubscription;

/**
 * Gives access to one of N independent Redis nodes. It contains none of the protocol: the
 * client above decides when to connect, what an answer means and how long to wait for
 * one.
 * <p>
 * Methods return at once. Stages may be completed and listeners called on any thread of
 * the node, which is never blocked there.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @since 0.1.0
 */
public interface RedlockNode {

	/**
	 * Return the name by which all clients know this node: {@code host:port} without
	 * credentials. It is part of the hash that distinguishes clients with different
	 * lists.
	 * @return the name
	 */
	String name();

	/**
	 * Try once to open a connection to the node. The first command on it is INFO, which
	 * returns the session's {@link NodeSession#identity()}. Scripts are loaded
	 * afterwards.
	 * @return the connection, at the latest when the connect timeout is over. It fails if
	 * the connection could not be opened, with a {@link NodeRefusedException} if the node
	 * refuses it until it is changed
	 */
	CompletionStage<NodeSession> connect();

	/**
	 * Try once to subscribe to releases, on a connection of its own.
	 * @param listener receives the key of each release that the node publishes
	 * @return the subscription, once the node has confirmed it
	 */
	CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener);

	/**
	 * Close all connections. Calls under way fail.
	 */
	void close();

}
