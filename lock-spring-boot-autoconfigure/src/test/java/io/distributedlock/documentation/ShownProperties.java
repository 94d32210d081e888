package io.distributedlock.documentation;

import java.util.List;

/**
 * Properties as a page shows them, for tests that run an application with them. A comment
 * in the line before the block names it.
 */
public final class ShownProperties {

	private ShownProperties() {
	}

	/**
	 * Return the properties of a block.
	 * @param name the name of the block
	 * @return the properties, {@code name=value}
	 * @throws AssertionError if no page has such a block, or several have
	 */
	public static String[] of(String name) {
		List<CodeBlock> blocks = Page.all()
			.stream()
			.flatMap((page) -> page.blocks().stream())
			.filter((block) -> block.language().equals("properties") && block.name().equals(name))
			.toList();
		if (blocks.size() != 1) {
			throw new AssertionError("Not one block of properties '" + name + "': " + blocks);
		}
		return blocks.get(0).text().lines().toArray(String[]::new);
	}

}
