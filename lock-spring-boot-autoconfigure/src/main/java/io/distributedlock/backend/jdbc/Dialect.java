package io.distributedlock.backend.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The databases whose SQL is known, and standard SQL for others. Each has a folder with
 * the statements that are its own; all others come from {@code common} and are put
 * together from its words.
 */
@SuppressWarnings("ImmutableEnumChecker") // strings, functions and fixed collections
enum Dialect {

	/**
	 * H2 from 2.0 on. Interrupts of a thread that uses it may close its file.
	 */
	H2(KeyColumnType.BINARY, SqlExpressions.H2, GrantReturn.ROW, Trait.UPDATES_RETURN, Trait.FORGETS),

	/**
	 * PostgreSQL from 10 on.
	 */
	POSTGRESQL(KeyColumnType.TEXT, SqlExpressions.POSTGRESQL, GrantReturn.ROW, Trait.UPDATES_RETURN, Trait.NETWORK,
			Trait.QUERY_TIMEOUT, Trait.ARRAYS, Trait.NOTIFICATIONS, Trait.FORGETS),

	/**
	 * MariaDB from 10.5 on, through its own driver or MySQL's.
	 */
	MARIADB(KeyColumnType.BINARY, SqlExpressions.MYSQL, GrantReturn.ROW, Trait.NETWORK, Trait.QUERY_TIMEOUT,
			Trait.COUNTS_CHANGES, Trait.FORGETS),

	/**
	 * MySQL from 8.0 on, and older MariaDB. No query time-out, for which the driver would
	 * need a thread and a second connection.
	 */
	MYSQL(KeyColumnType.BINARY, SqlExpressions.MYSQL, GrantReturn.GENERATED_KEY, Trait.NETWORK, Trait.COUNTS_CHANGES,
			Trait.ASKS_WHETHER_READ_ONLY, Trait.FORGETS),

	/**
	 * Oracle from 12 on.
	 */
	ORACLE(KeyColumnType.BINARY, SqlExpressions.ORACLE, GrantReturn.OUT_PARAMETER, Trait.INSERTS_BLINDLY,
			Trait.NETWORK),

	/**
	 * SQL Server from 2016 on.
	 */
	SQLSERVER(KeyColumnType.BINARY, SqlExpressions.SQLSERVER, GrantReturn.TOKEN, Trait.INSERTS_BLINDLY, Trait.NETWORK),

	/**
	 * Standard SQL, with times that know their zone and intervals: HSQLDB, and databases
	 * of which nothing else is known.
	 */
	PORTABLE(KeyColumnType.HEX, SqlExpressions.STANDARD, GrantReturn.READ_BACK, Trait.QUERY_TIMEOUT);

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
		ARRAYS("release-all", "renew-all"),
		/**
		 * It notifies those who listen of releases, in the statement that releases.
		 */
		NOTIFICATIONS("listen", "make-room", "notify", "unlisten"),
		/**
		 * Its statements that change a row return what is in it then.
		 */
		UPDATES_RETURN,
		/**
		 * Its INSERT itself leaves a row alone that is there, without a look at it.
		 */
		INSERTS_BLINDLY,
		/**
		 * It may be set up to leave rows out of an update's count that it found but had
		 * nothing to change in.
		 */
		COUNTS_CHANGES,
		/**
		 * Its driver asks the server each time whether a connection is read-only.
		 */
		ASKS_WHETHER_READ_ONLY;

		// The names of the statements that only databases with this trait have.
		private final List<String> statements;

		Trait(String... statements) {
			this.statements = List.of(statements);
		}

	}

	private final KeyColumnType keyColumnType;

	private final SqlExpressions expressions;

	private final GrantReturn grantReturn;

	private final Set<Trait> traits;

	Dialect(KeyColumnType keyColumnType, SqlExpressions expressions, GrantReturn grantReturn, Trait... traits) {
		this.keyColumnType = keyColumnType;
		this.expressions = expressions;
		this.grantReturn = grantReturn;
		this.traits = Set.of(traits);
	}

	KeyColumnType keyColumnType() {
		return this.keyColumnType;
	}

	SqlExpressions expressions() {
		return this.expressions;
	}

	GrantReturn grantReturn() {
		return this.grantReturn;
	}

	/**
	 * Return the names of the statements that not all dialects have.
	 * @return the names of those of this one
	 */
	Stream<String> ownStatements() {
		Stream<String> acquire = (this.grantReturn == GrantReturn.ROW) ? Stream.of("acquire")
				: Stream.of("take", "insert");
		return Stream.concat(acquire, this.traits.stream().flatMap((trait) -> trait.statements.stream()));
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
