package io.distributedlock.it.toy;

/**
 * An answer of the server.
 *
 * @param message the answer
 * @param sentAt the time of the client's clock before the request was sent
 */
record ToyAnswer(ToyMessage message, long sentAt) {

	boolean isTrue() {
		return Boolean.parseBoolean(this.message.text(0));
	}

}
