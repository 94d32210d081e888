package io.distributedlock.observation;

/**
 * The kinds of calls to a store.
 */
enum StoreOperation {

	ACQUIRE("acquire"), RENEW("renew"), RELEASE("release"), ABANDON("abandon"), FIND("find"), LIST("list"),
	FORCE_RELEASE("force-release");

	private final String tag;

	StoreOperation(String tag) {
		this.tag = tag;
	}

	String tag() {
		return this.tag;
	}

}
