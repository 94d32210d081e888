package io.distributedlock.spi;

/**
 * Is told by a backend of leases that it knows to be lost before the next renewal asks,
 * as when a session ended.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LossListener {

	/**
	 * Take note of a loss. Does not block.
	 * @param ownerId the owner id of the lost grant
	 */
	void lost(OwnerId ownerId);

}
