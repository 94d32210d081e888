package io.distributedlock.contract;

import io.distributedlock.spi.LockBackend;

/**
 * A client of the contract, which the tests connect, call and close.
 */
final class ContractClient extends DecoratedBackend {

	ContractClient(LockBackend client) {
		super(client);
	}

	/**
	 * Connect without a listener for leases.
	 */
	void connect() {
		connect((ownerId) -> {
		});
	}

}
