package io.distributedlock.backend.zookeeper;

/**
 * The route of one client to the servers, which a test can cut.
 */
public interface ZooKeeperRoute extends AutoCloseable {

	/**
	 * Return the address that the client connects to.
	 */
	String connectString();

	/**
	 * Close all connections and refuse new ones.
	 */
	void cut();

	/**
	 * Lose the answers of the servers.
	 */
	void loseAnswers();

	/**
	 * Let connections pass again.
	 */
	void restore();

	@Override
	void close();

}
