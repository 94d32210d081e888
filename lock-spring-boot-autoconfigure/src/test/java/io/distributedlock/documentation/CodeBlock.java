package io.distributedlock.documentation;

/**
 * A fenced block of a page.
 *
 * @param page the path of the page, below the root of the project
 * @param line the number of its first line
 * @param language the language that the fence names, empty if it names none
 * @param name the name in a comment before the fence, empty if there is none
 * @param text its lines without the indentation of the fence
 */
record CodeBlock(String page, int line, String language, String name, String text) {

	private static final String SOURCE = "source-";

	/**
	 * Return whether the block shows a part of a test.
	 */
	boolean isSource() {
		return this.name.startsWith(SOURCE);
	}

	/**
	 * Return the name of the part that the block shows.
	 */
	String sourceName() {
		return this.name.substring(SOURCE.length());
	}

	@Override
	public String toString() {
		return this.page + ":" + this.line;
	}

}
