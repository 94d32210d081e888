package io.distributedlock.backend.jdbc;

/**
 * Where the statements of a dialect come from.
 *
 * @param dialect the dialect
 * @param settings the settings, which name tables and prefix
 */
record SqlSource(Dialect dialect, JdbcLockSettings settings) {

	/**
	 * Read a statement: the dialect's own or the common one.
	 * @param name its name
	 * @return the statement
	 */
	SqlStatement statement(String name) {
		String own = this.dialect.platform() + "/" + name + ".sql";
		boolean hasOwn = SqlSource.class.getResource(own) != null;
		String text = JdbcLockSchema.read(hasOwn ? own : "common/" + name + ".sql");
		return SqlStatement.parse(this.dialect.words().expand(text, this.settings));
	}

	/**
	 * Return how a key is stored: behind the prefix, in the form of its column.
	 * @param key the key as the application wrote it
	 * @return the value of the column
	 */
	Object key(String key) {
		return this.dialect.keyForm().toColumn(this.settings.keyPrefix() + key);
	}

}
