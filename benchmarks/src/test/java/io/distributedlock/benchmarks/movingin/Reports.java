package io.distributedlock.benchmarks.movingin;

/**
 * What the scheduled methods of the guides call while they hold their locks.
 */
class Reports {

	private Runnable body = () -> {
	};

	private int printed;

	void print() {
		this.printed++;
		this.body.run();
	}

	/**
	 * Set what happens while a report is printed.
	 */
	void whilePrinting(Runnable body) {
		this.body = body;
	}

	void reset() {
		this.printed = 0;
		whilePrinting(() -> {
		});
	}

	int printed() {
		return this.printed;
	}

}
