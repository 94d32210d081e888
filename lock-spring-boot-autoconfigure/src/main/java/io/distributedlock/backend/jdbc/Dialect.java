package io.distributedlock.backend.jdbc;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/**
 * The databases whose SQL is known, and standard SQL for others. Each has a folder with
 * the statements that are its own; all others come from {@code common} and are put
 * together from its words.
 */
@SuppressWarnings("ImmutableEnumChecker") // records of strings, constructors, and a set
											// that never leaves
enum Dialect {

	/**
	 * H2 from 2.0 on. Interrupts of a thread that uses it may close its file.
	 */
	H2(KeyColumnType.BINARY, SqlExpressions.H2, UpsertAcquire::new, Trait.UPDATES_RETURN, Trait.FORGETS),

	/**
	 * PostgreSQL from 10 on.
	 */
	POSTGRESQL(KeyColumnType.TEXT, SqlExpressions.POSTGRESQL, UpsertAcquire::new, Trait.UPDATES_RETURN, Trait.NETWORK,
			Trait.QUERY_TIMEOUT, Trait.ARRAYS, Trait.NOTIFICATIONS, Trait.FORGETS),

	/**
	 * MariaDB from 10.5 on, through its own driver or MySQL's.
	 */
	MARIADB(KeyColumnType.BINARY, SqlExpressions.MYSQL, UpsertAcquire::new, Trait.NETWORK, Trait.QUERY_TIMEOUT,
			Trait.COUNTS_CHANGES, Trait.FORGETS),

	/**
	 * MySQL from 8.0 on, and older MariaDB. No query time-out, for which the driver would
	 * need a thread and a second connection.
	 */
	MYSQL(KeyColumnType.BINARY, SqlExpressions.MYSQL,
			(source) -> new UpdateThenInsertAcquire(source, GrantReturn.GENERATED_KEY, false), Trait.NETWORK,
			Trait.COUNTS_CHANGES, Trait.ASKS_WHETHER_READ_ONLY, Trait.FORGETS),

	/**
	 * Oracle from 12 on.
	 */
	ORACLE(KeyColumnType.BINARY, SqlExpressions.ORACLE,
			(source) -> new UpdateThenInsertAcquire(source, GrantReturn.OUT_PARAMETER, true), Trait.NETWORK),

	/**
	 * SQL Server from 2016 on.
	 */
	SQLSERVER(KeyColumnType.BINARY, SqlExpressions.SQLSERVER,
			(source) -> new UpdateThenInsertAcquire(source, GrantReturn.ROW, true), Trait.NETWORK),

	/**
	 * Standard SQL, with times that know their zone and intervals: HSQLDB, and databases
	 * of which nothing else is known.
	 */
	PORTABLE(KeyColumnType.HEX, SqlExpressions.STANDARD,
			(source) -> new UpdateThenInsertAcquire(source, GrantReturn.READ_BACK, false), Trait.QUERY_TIMEOUT);

	/**
	 * What a database can do besides, or does.
	 */
	enum Trait {

		/**
		 * Its rows of locks that nobody uses are deleted. Not where that was never seen
		 * to leave all others alone: HSQLDB, for one, computes times in the past wrongly.
		 */
		FORGETS,
		/**
		 * It is reached over a network, whose time-outs can be set.
		 */
		NETWORK,
		/**
		 * It can be told at no cost to give a statement up.
		 */
		QUERY_TIMEOUT,
		/**
		 * It takes arrays, and returns the rows that an update has changed.
		 */
		ARRAYS,
		/**
		 * It notifies those who listen of releases, in the statement that releases.
		 */
		NOTIFICATIONS,
		/**
		 * Its statements that change a row return what is in it then.
		 */
		UPDATES_RETURN,
		/**
		 * It may be set up to leave rows out of an update's count that it found but had
		 * nothing to change in.
		 */
		COUNTS_CHANGES,
		/**
		 * Its driver asks the server each time whether a connection is read-only.
		 */
		ASKS_WHETHER_READ_ONLY

	}

	private final KeyColumnType keyColumnType;

	private final SqlExpressions expressions;

	private final Function<SqlSource, AcquireStrategy> acquireStrategy;

	private final Set<Trait> traits;

	Dialect(KeyColumnType keyColumnType, SqlExpressions expressions, Function<SqlSource, AcquireStrategy> strategy,
			Trait... traits) {
		this.keyColumnType = keyColumnType;
		this.expressions = expressions;
		this.acquireStrategy = strategy;
		this.traits = EnumSet.noneOf(Trait.class);
		this.traits.addAll(Arrays.asList(traits));
	}

	KeyColumnType keyColumnType() {
		return this.keyColumnType;
	}

	SqlExpressions expressions() {
		return this.expressions;
	}

	/**
	 * Return how locks are taken.
	 * @param source where the statements come from
	 * @return the way
	 */
	AcquireStrategy acquireStrategy(SqlSource source) {
		return this.acquireStrategy.apply(source);
	}

	boolean has(Trait trait) {
		return this.traits.contains(trait);
	}

	/**
	 * Return the name by which scripts and settings know this dialect.
	 * @return the name
	 */
	String platform() {
		return name().toLowerCase(Locale.ROOT);
	}

}
