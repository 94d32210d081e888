package io.distributedlock;

/**
 * Thrown if a resource refused a write because it has already seen a greater fencing
 * token: the writer's lease has ended, and a later holder was at work.
 *
 * @since 0.1.0
 */
public class StaleTokenException extends LockException {

	private final String resource;

	private final long token;

	/**
	 * Create the exception.
	 * @param resource the resource that refused the write
	 * @param token the stale token
	 */
	public StaleTokenException(String resource, long token) {
		super("'" + resource + "' refused fencing token " + token + ": it has seen a greater one, so the lease that"
				+ " this token came with has ended and a later holder was at work");
		this.resource = resource;
		this.token = token;
	}

	/**
	 * Return the resource that refused the write.
	 * @return its name
	 */
	public String resource() {
		return this.resource;
	}

	/**
	 * Return the token that was refused.
	 * @return the token
	 */
	public long token() {
		return this.token;
	}

}
