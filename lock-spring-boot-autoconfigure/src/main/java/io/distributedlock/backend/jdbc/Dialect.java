package io.distributedlock.backend.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The databases whose SQL is known, and standard SQL for others. Each dialect has a
 * folder with its own statements. All other statements come from {@code common} and are
 * expanded with the dialect's expressions.
 */
@SuppressWarnings("ImmutableEnumChecker") // strings, functions and fixed collections
enum Dialect {

	/**
	 * H2 from 2.0 on. An interrupt of a thread that uses it may close its file.
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
			Trait.COUNTS_CHANGES, Trait.FORGETS, Trait.BLOCKS, Trait.LOCKS_GAPS, Trait.ENDS_IDLE),

	/**
	 * MySQL from 8.0 on, and older MariaDB. No query timeout is set, because the driver
	 * would need a thread and a second connection for it.
	 */
	MYSQL(KeyColumnType.BINARY, SqlExpressions.MYSQL, GrantReturn.GENERATED_KEY, Trait.NETWORK, Trait.COUNTS_CHANGES,
			Trait.ASKS_WHETHER_READ_ONLY, Trait.FORGETS, Trait.JOINS, Trait.LOCKS_GAPS, Trait.ENDS_IDLE),

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
	 * Standard SQL with intervals and times with a zone, for HSQLDB and unknown
	 * databases.
	 */
	PORTABLE(KeyColumnType.HEX, SqlExpressions.STANDARD, GrantReturn.READ_BACK, Trait.QUERY_TIMEOUT);

	/**
	 * An ability or a peculiarity of a database.
	 */
	enum Trait {

		/**
		 * Rows of unused locks are deleted. Only databases on which the deletion was seen
		 * to spare all other rows have this trait. HSQLDB, for one, computes times in the
		 * past wrongly.
		 */
		FORGETS,
		/**
		 * It is reached over a network whose timeouts can be set.
		 */
		NETWORK,
		/**
		 * It supports query timeouts at no cost.
		 */
		QUERY_TIMEOUT,
		/**
		 * It accepts arrays, and returns the rows that an update has changed.
		 */
		ARRAYS("acquire-all", "mark-all", "release-all", "renew-all", "state-all"),
		/**
		 * It notifies listeners of releases, within the statement that releases.
		 */
		NOTIFICATIONS("listen", "make-room", "notify", "unlisten"),
		/**
		 * Its statements that change a row return the changed row.
		 */
		UPDATES_RETURN,
		/**
		 * Its INSERT leaves an existing row alone, so that no look is needed before it.
		 */
		INSERTS_BLINDLY,
		/**
		 * It may be configured to count only the rows whose values an update has changed.
		 */
		COUNTS_CHANGES,
		/**
		 * Its driver asks the server each time whether a connection is read-only.
		 */
		ASKS_WHETHER_READ_ONLY,
		/**
		 * It accepts a whole transaction in one request.
		 */
		BLOCKS,
		/**
		 * One statement can change rows of both tables.
		 */
		JOINS,
		/**
		 * A statement that looks for rows to delete keeps other sessions from inserting
		 * rows beside them until the end of the transaction, also those of other keys.
		 */
		LOCKS_GAPS,
		/**
		 * A session can limit how long its own transactions may be idle.
		 */
		ENDS_IDLE("begin", "end");

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
	 * Return the names of this dialect's statements that not all dialects have.
	 * @return the names
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
	 * Return whether members enter and leave groups in transactions that consist of
	 * several requests.
	 * @return whether the client keeps transactions open
	 */
	boolean opensTransactions() {
		return !has(Trait.ARRAYS) && !has(Trait.BLOCKS);
	}

	/**
	 * Return whether a request can take several exclusive locks together.
	 * @return whether it can
	 */
	boolean takesSeveral() {
		return has(Trait.ARRAYS);
	}

	/**
	 * Return the name by which scripts and settings know this dialect.
	 * @return the name
	 */
	String platform() {
		return name().toLowerCase(Locale.ROOT);
	}

}
