package io.distributedlock.observation;

/**
 * The kinds of calls to a store.
 */
enum StoreOperation {

	ACQUIRE, RENEW, RELEASE, ABANDON, FIND, LIST, FORCE_RELEASE;

	private final String tag = TagValues.of(this);

	String tag() {
		return this.tag;
	}

}
