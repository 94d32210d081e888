package io.distributedlock.backend.jdbc;

/**
 * The table of locks in one kind of database: the statements that take locks, those that
 * concern leases, and those for people who look.
 *
 * @param source where the statements come from
 * @param acquire takes locks
 * @param leases renews and ends leases
 * @param inspect looks at locks
 * @param retention forgets locks that nobody uses
 * @param manyKeys looks at many locks at once
 * @param check checks the columns, once
 * @param behindProxy whether a proxy is between the driver and PostgreSQL
 */
record LockTable(SqlSource source, AcquireSql acquire, LeaseSql leases, InspectSql inspect, RetentionSql retention,
		ManyKeysSql manyKeys, LockTableCheck check, boolean behindProxy) {

	LockTable(SqlSource source, boolean behindProxy) {
		this(source, new AcquireSql(source), new LeaseSql(source), new InspectSql(source), new RetentionSql(source),
				new ManyKeysSql(source), new LockTableCheck(source.dialect(), source.settings()), behindProxy);
	}

	String name() {
		return this.source.settings().table();
	}

	Dialect dialect() {
		return this.source.dialect();
	}

	/**
	 * Return what to run where the table is missing.
	 * @return the script in one line, as messages have it
	 */
	String ddl() {
		return JdbcLockSchema.ddl(dialect().platform(), this.source.settings())
			.replaceAll("--[^\n]*", "")
			.replaceAll("\\s+", " ")
			.strip();
	}

}
