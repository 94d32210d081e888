package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.regex.MatchResult;
import java.util.stream.Collectors;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcTestNode;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for JVMs in different time zones, and for JVMs that stand still for longer
 * than their leases.
 */
abstract class JvmContract {

	/**
	 * The first is 11 hours behind UTC, the last 14 ahead of it.
	 */
	private static final List<String> ZONES = List.of("Pacific/Niue", "Europe/Berlin", "Pacific/Kiritimati");

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final Duration A_WHILE = Duration.ofMinutes(1);

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	private ClusterStore store;

	private HikariDataSource pool;

	abstract String platform();

	abstract ClusterStore store() throws Exception;

	@BeforeEach
	void createTables() throws Exception {
		this.store = store();
		this.pool = new HikariDataSource();
		this.pool.setJdbcUrl(this.store.url());
		this.pool.setUsername(this.store.user());
		this.pool.setMaximumPoolSize(6);
		new JdbcTestDatabase(platform(), this.pool).createTables(LockingJvm.settings());
		new JdbcTemplate(this.pool).update("DELETE FROM " + LockingJvm.settings().table());
		LockingJvm.Resource.create(new JdbcTemplate(this.pool));
	}

	@AfterEach
	void dropResource() {
		new JdbcTemplate(this.pool).execute("DROP TABLE resource");
		this.pool.close();
	}

	@Test
	void locksOfJvmsInOtherTimeZonesAreTakenOverWhenTheirTimeIsOverAndNotBefore() throws Exception {
		List<JavaProcess> jvms = new ArrayList<>();
		for (String zone : ZONES) {
			jvms.add(start(zone, keys((holder, taker) -> holder.equals(zone)),
					keys((holder, taker) -> taker.equals(zone))));
		}
		for (JavaProcess jvm : jvms) {
			jvm.awaitLine("^ready$");
		}

		Meeting.begin(this.folder);
		for (JavaProcess jvm : jvms) {
			jvm.awaitLine("^finished$");
		}

		for (JavaProcess jvm : jvms) {
			for (String zone : ZONES) {
				MatchResult kept = line(List.of(jvm), "^sees kept:" + zone + " for (-?\\d+) since (-?\\d+)$");
				assertThat(Long.parseLong(kept.group(1))).as("rest of %s", kept.group())
					.isBetween(1L, LockingJvm.KEPT.toMillis());
				assertThat(Long.parseLong(kept.group(2))).as("age of %s", kept.group())
					.isBetween(0L, LockingJvm.KEPT.toMillis());
			}
		}
		for (String key : keys((holder, taker) -> true).split(",")) {
			MatchResult held = line(jvms, "^held " + key + " (\\d+) until (\\d+)$");
			MatchResult taken = line(jvms, "^taken " + key + " (\\d+) at (\\d+)$");
			assertThat(Long.parseLong(taken.group(1))).as("token of " + key)
				.isGreaterThan(Long.parseLong(held.group(1)));
			assertThat(Long.parseLong(taken.group(2))).as("when " + key + " was taken")
				.isGreaterThan(Long.parseLong(held.group(2)));
		}
	}

	@Test
	void holderThatStoodStillIsNotifiedAndRefusedByTheResource() throws Exception {
		JavaProcess frozen = start("UTC", "frozen", "");
		long token = Long.parseLong(frozen.awaitLine("^held frozen (\\d+) ").group(1));
		frozen.awaitLine("^ready$");
		JdbcTemplate database = new JdbcTemplate(this.pool);
		assertThat(LockingJvm.Resource.write(database, token)).isTrue();

		frozen.pause();
		try (JdbcTestNode node = new JdbcTestNode(this.pool, LockingJvm.settings(), TTL, HandOverSettings.DEFAULTS);
				Lease next = node.template().acquire(LockRequest.of("frozen").waitTime(A_WHILE).ttl(A_WHILE))) {
			assertThat(next.fencingToken()).isGreaterThan(token);
			assertThat(LockingJvm.Resource.write(database, next.fencingToken())).isTrue();
			Meeting.begin(this.folder);
			frozen.resume();
			frozen.awaitLine("^finished$");
		}

		assertThat(frozen.output()).contains("no longer held", "write false");
	}

	private JavaProcess start(String zone, String held, String taken) throws Exception {
		assertThat(TimeZone.getTimeZone(zone).getID()).isEqualTo(zone);
		JavaCommand command = JavaCommand.of(LockingJvm.class).systemProperty("user.timezone", zone);
		for (String argument : List.of(this.folder.toString(), this.store.url(), this.store.user(), TTL.toString(),
				held, taken)) {
			command = command.argument(argument);
		}
		return this.processes.start(zone, command);
	}

	/**
	 * Return the keys that JVMs in one zone hold and JVMs in another zone take.
	 */
	private static String keys(Pair pair) {
		return ZONES.stream()
			.flatMap((holder) -> ZONES.stream()
				.filter((taker) -> !taker.equals(holder) && pair.test(holder, taker))
				.map((taker) -> holder + ">" + taker))
			.collect(Collectors.joining(","));
	}

	private static MatchResult line(List<JavaProcess> jvms, String regex) throws InterruptedException {
		for (JavaProcess jvm : jvms) {
			if (jvm.output().stream().anyMatch((line) -> line.matches(regex))) {
				return jvm.awaitLine(regex);
			}
		}
		throw new AssertionError("Nobody wrote " + regex);
	}

	/**
	 * Two zones.
	 */
	private interface Pair {

		boolean test(String holder, String taker);

	}

}
