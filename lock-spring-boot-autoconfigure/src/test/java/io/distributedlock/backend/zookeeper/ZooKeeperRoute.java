package io.distributedlock.backend.zookeeper;

/**
 * The way of one client to the servers, which a test can cut.
 */
public interface ZooKeeperRoute extends AutoCloseable {

	/**
	 * Return where the client connects to.
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
