package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcTestNode;
import io.distributedlock.engine.HandOverSettings;

/**
 * A JVM that holds and takes locks. Its arguments are the folder of the signals, the
 * database and its user, the TTL, the keys that it holds without renewal from the
 * beginning, and the keys that it takes after the signal to continue. Each set of keys is
 * one argument, separated by commas. It then writes to a resource that keeps the highest
 * token, with the first lease, and runs until it is killed.
 */
public final class LockingJvm {

	/**
	 * The TTL of the locks that JVMs keep until they end, longer than any test.
	 */
	static final Duration KEPT = Duration.ofMinutes(5);

	private LockingJvm() {
	}

	public static void main(String[] args) throws Exception {
		Path folder = Path.of(args[0]);
		try (HikariDataSource pool = pool(args[1], args[2]);
				JdbcTestNode node = new JdbcTestNode(pool, settings(), Duration.parse(args[3]),
						HandOverSettings.DEFAULTS)) {
			List<Lease> held = new ArrayList<>();
			node.template().acquire(LockRequest.of("kept:" + TimeZone.getDefault().getID()).ttl(KEPT).withoutRenewal());
			for (String key : keys(args[4])) {
				Lease lease = node.template().acquire(LockRequest.of(key).withoutRenewal());
				long validUntil = System.nanoTime() + lease.remaining().toNanos();
				System.out.println("held " + key + " " + lease.fencingToken() + " until " + validUntil);
				held.add(lease);
			}
			System.out.println("ready");
			Meeting.awaitBegin(folder);
			for (LockInfo info : node.locks().list().toList()) {
				System.out.println("sees " + info.key() + " for " + info.remaining().toMillis() + " since "
						+ info.heldFor().toMillis());
			}
			for (String key : keys(args[5])) {
				Lease lease = node.template().acquire(LockRequest.of(key).waitTime(Duration.ofMinutes(1)));
				System.out.println("taken " + key + " " + lease.fencingToken() + " at " + System.nanoTime());
			}
			for (Lease lease : held) {
				System.out.println(lease.isHeld() ? "still held" : "no longer held");
			}
			if (!held.isEmpty()) {
				System.out.println("write " + Resource.write(new JdbcTemplate(pool), held.get(0).fencingToken()));
			}
			System.out.println("finished");
			// A stop would release locks that others have to take after their expiry.
			new CountDownLatch(1).await();
		}
	}

	private static List<String> keys(String argument) {
		return Stream.of(argument.split(",")).filter((key) -> !key.isEmpty()).toList();
	}

	private static HikariDataSource pool(String url, String user) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setUsername(user);
		pool.setMaximumPoolSize(6);
		pool.setMinimumIdle(0);
		return pool;
	}

	static JdbcLockSettings settings() {
		return JdbcTestDatabase.settings("far:", "test@host:1", JdbcLockSettings.DEFAULT_TABLE, Duration.ofSeconds(2),
				Duration.ofHours(1), null);
	}

	/**
	 * The protected resource. It refuses each token that is smaller than the highest one
	 * that it has seen.
	 */
	static final class Resource {

		private Resource() {
		}

		static void create(JdbcTemplate database) {
			database.execute("CREATE TABLE resource (highest BIGINT)");
			database.update("INSERT INTO resource VALUES (0)");
		}

		static boolean write(JdbcTemplate database, long token) {
			return database.update("UPDATE resource SET highest = ? WHERE highest <= ?", token, token) > 0;
		}

	}

}
