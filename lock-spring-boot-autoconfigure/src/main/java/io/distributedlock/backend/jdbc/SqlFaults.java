package io.distributedlock.backend.jdbc;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransactionRollbackException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.function.Predicate;

import io.distributedlock.backend.call.FaultCauses;

/**
 * Classifies the faults that databases report, however they are wrapped.
 */
final class SqlFaults {

	// Causes may form a circle.
	private static final int MAX_DEPTH = 32;

	/**
	 * The transaction was rolled back, and may succeed if it is repeated: deadlocks,
	 * serialization errors and lock wait timeouts, by their SQLState.
	 */
	private static final Set<String> TRANSIENT_STATES = Set.of("40001", "40P01", "40XL1", "40XL2", "55P03", "HYT00",
			"1205", "1213");

	/**
	 * The same by the numbers of MySQL and MariaDB (1205, 1213, 1020), Oracle (60, 8177),
	 * SQL Server (1205, 1222, 3960) and H2 (90131, 50200). If one of them means another
	 * fault in another of these databases, our statements can't cause that fault.
	 */
	private static final Set<Integer> TRANSIENT_CODES = Set.of(1205, 1213, 1020, 60, 8177, 1222, 3960, 90131, 50200);

	/**
	 * Duplicate keys of MySQL and MariaDB (1062), Oracle (1) and SQL Server (2601, 2627).
	 * Other databases report them by the SQLState.
	 */
	private static final Set<Integer> DUPLICATE_CODES = Set.of(1062, 1, 2601, 2627);

	/**
	 * Read-only databases of MySQL and MariaDB (1290, 1792, 1836), Oracle (16000), SQL
	 * Server (3906) and H2 (90097).
	 */
	private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1792, 1836, 16000, 3906, 90097);

	/**
	 * States besides class 08 after which the outcome of a statement is unknown. H2 has
	 * its own for a database that has been closed.
	 */
	private static final Set<String> UNKNOWN_STATES = Set.of("40003", "57P01", "57P02", "57P03", "90067", "90098",
			"90121");

	private static final Set<String> MISSING_STATES = Set.of("42P01", "42S02", "42S03", "42S04", "42X05", "S0002");

	/**
	 * Missing tables of MySQL and MariaDB (1146), Oracle (942), SQL Server (208) and
	 * HSQLDB (-5501).
	 */
	private static final Set<Integer> MISSING_CODES = Set.of(1146, 942, 208, -5501);

	/**
	 * Missing columns, functions, types, schemas and databases, invalid statements,
	 * missing rights and refused logins, by their SQLState: of the standard, PostgreSQL
	 * and H2.
	 */
	private static final Set<String> REFUSED_STATES = Set.of("42501", "42703", "42883", "42704", "42804", "42601",
			"42S22", "3F000", "3D000", "28000", "28P01", "90096", "90079", "90149", "42001");

	/**
	 * The same by the numbers of MySQL and MariaDB (1044, 1045, 1049, 1054, 1064, 1142,
	 * 1143, 1227, 1305, 1370), Oracle (904, 1017, 1031) and SQL Server (207, 229, 230,
	 * 4060, 18456). MySQL also uses the state 42000 for many temporary faults.
	 */
	private static final Set<Integer> REFUSED_CODES = Set.of(1044, 1045, 1049, 1054, 1064, 1142, 1143, 1227, 1305, 1370,
			904, 1017, 1031, 207, 229, 230, 4060, 18456);

	/**
	 * Missing rights among those, by SQLState (PostgreSQL, H2) and number (MySQL and
	 * MariaDB, Oracle, SQL Server).
	 */
	private static final Set<String> RIGHT_STATES = Set.of("42501", "90096");

	private static final Set<Integer> RIGHT_CODES = Set.of(1044, 1142, 1143, 1227, 1370, 1031, 229, 230);

	private SqlFaults() {
	}

	/**
	 * Return whether a statement was rolled back and may succeed if it is repeated.
	 * @param fault what was thrown
	 * @return whether to repeat the statement
	 */
	static boolean isTransient(Throwable fault) {
		return contains(fault, (ex) -> (ex instanceof SQLTransactionRollbackException && !isState(ex, "40002", "40003"))
				|| isState(ex, TRANSIENT_STATES) || TRANSIENT_CODES.contains(ex.getErrorCode()));
	}

	/**
	 * Return whether a row with this primary key exists already.
	 * @param fault what was thrown
	 * @return whether another client inserted it first
	 */
	static boolean isDuplicateKey(Throwable fault) {
		return contains(fault, (ex) -> isState(ex, "23505") || DUPLICATE_CODES.contains(ex.getErrorCode()));
	}

	static boolean isMissingTable(Throwable fault) {
		return contains(fault, (ex) -> isState(ex, MISSING_STATES)
				|| (MISSING_CODES.contains(ex.getErrorCode()) && isSyntaxClass(ex)));
	}

	/**
	 * Return whether the database will refuse the statement again until an administrator
	 * changes the database, the user's rights or the settings.
	 * @param fault what was thrown
	 * @return whether a repetition is useless
	 */
	static boolean isRefusedForGood(Throwable fault) {
		return isMissingTable(fault) || contains(fault, (ex) -> isState(ex, REFUSED_STATES)
				|| (REFUSED_CODES.contains(ex.getErrorCode()) && isRefusalClass(ex)));
	}

	/**
	 * Return whether the user lacks a right.
	 * @param fault what was thrown
	 * @return whether a right is missing
	 */
	static boolean isMissingRight(Throwable fault) {
		return contains(fault,
				(ex) -> isState(ex, RIGHT_STATES) || (RIGHT_CODES.contains(ex.getErrorCode()) && isRefusalClass(ex)));
	}

	private static boolean isRefusalClass(SQLException ex) {
		return isSyntaxClass(ex) || ex.getSQLState().startsWith("28") || ex.getSQLState().startsWith("72");
	}

	/**
	 * Return whether the database refused the statement, so that it was certainly not
	 * executed.
	 * @param fault what was thrown
	 * @return whether it was not executed
	 */
	static boolean isRefused(Throwable fault) {
		return contains(fault, (ex) -> true) && !contains(fault,
				(ex) -> ex.getSQLState() == null || ex.getSQLState().startsWith("08") || isState(ex, UNKNOWN_STATES));
	}

	/**
	 * Return whether the database accepts no changes, such as a standby or a former
	 * primary.
	 * @param fault what was thrown
	 * @return whether it is read-only
	 */
	static boolean isReadOnly(Throwable fault) {
		return contains(fault, (ex) -> isState(ex, "25006") || READ_ONLY_CODES.contains(ex.getErrorCode()));
	}

	/**
	 * Return whether the database or its driver does not support the statement, or does
	 * not allow it to this user.
	 * @param fault what was thrown
	 * @return whether it will be refused the next time, too
	 */
	static boolean isUnsupported(Throwable fault) {
		return fault instanceof SQLFeatureNotSupportedException || contains(fault, (ex) -> ex.getSQLState() != null
				&& (ex.getSQLState().startsWith("42") || ex.getSQLState().startsWith("0A")));
	}

	/**
	 * Return whether PostgreSQL has undone a statement because it has no room for the
	 * statement's notice.
	 * @param fault what was thrown
	 * @return whether the statement may succeed without the notice
	 */
	static boolean isNoticeRefused(Throwable fault) {
		return contains(fault, (ex) -> isState(ex, "54000"));
	}

	/**
	 * Return whether PostgreSQL does not know a prepared statement of the driver, or has
	 * another one of that name, because a proxy has given the transaction another
	 * connection.
	 * @param fault what was thrown
	 * @return whether the statement was not executed because of its name
	 */
	static boolean isNameOfStatementWrong(Throwable fault) {
		return contains(fault, (ex) -> isState(ex, "42P05", "26000"));
	}

	/**
	 * Return whether no answer arrived within the network timeout.
	 * @param fault what was thrown
	 * @return whether the connection may have fallen silent
	 */
	static boolean isSilence(Throwable fault) {
		return FaultCauses.of(fault).anyMatch(SocketTimeoutException.class::isInstance);
	}

	private static boolean isSyntaxClass(SQLException ex) {
		return ex.getSQLState() == null || ex.getSQLState().startsWith("42") || ex.getSQLState().startsWith("S0");
	}

	private static boolean isState(SQLException ex, String... states) {
		return isState(ex, Set.of(states));
	}

	private static boolean isState(SQLException ex, Set<String> states) {
		return ex.getSQLState() != null && states.contains(ex.getSQLState());
	}

	private static boolean contains(Throwable fault, Predicate<SQLException> wanted) {
		Deque<Throwable> open = new ArrayDeque<>();
		open.push(fault);
		for (int seen = 0; !open.isEmpty() && seen < MAX_DEPTH; seen++) {
			Throwable next = open.pop();
			if (next instanceof SQLException ex) {
				if (wanted.test(ex)) {
					return true;
				}
				if (ex.getNextException() != null) {
					open.push(ex.getNextException());
				}
			}
			if (next.getCause() != null) {
				open.push(next.getCause());
			}
			for (Throwable suppressed : next.getSuppressed()) {
				open.push(suppressed);
			}
		}
		return false;
	}

}
