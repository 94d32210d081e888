package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringValueResolver;

/**
 * The time between the runs of a {@code @Scheduled} method, as far as the annotation
 * shows it.
 *
 * @param length the shortest time between two runs
 * @param attribute the attribute that determines it, with its value
 */
record SchedulePeriod(Duration length, String attribute) {

	/**
	 * How many runs of a cron expression are examined.
	 */
	private static final int RUNS = 100;

	/**
	 * Runs repeat within years, so any start date is suitable.
	 */
	private static final ZonedDateTime START = ZonedDateTime.of(2024, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

	/**
	 * Return the shortest period of the schedules of a method.
	 * @param placeholders resolves placeholders of the annotation
	 * @return the period, or empty if there is none or it can't be read, which Spring
	 * reports
	 */
	static Optional<SchedulePeriod> shortestOf(Method method, StringValueResolver placeholders) {
		Set<Scheduled> schedules = AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class,
				Schedules.class);
		return schedules.stream()
			.flatMap((schedule) -> periods(schedule, placeholders))
			.min((one, other) -> one.length.compareTo(other.length));
	}

	private static Stream<SchedulePeriod> periods(Scheduled schedule, StringValueResolver placeholders) {
		return Stream.of(fixedRate(schedule), fixedRateText(schedule, placeholders), cron(schedule, placeholders))
			.flatMap(Optional::stream);
	}

	private static Optional<SchedulePeriod> fixedRate(Scheduled schedule) {
		long rate = schedule.fixedRate();
		return (rate <= 0) ? Optional.empty() : Optional
			.of(new SchedulePeriod(Duration.of(rate, schedule.timeUnit().toChronoUnit()), "fixedRate = " + rate));
	}

	private static Optional<SchedulePeriod> fixedRateText(Scheduled schedule, StringValueResolver placeholders) {
		return read(schedule.fixedRateString(), placeholders, (text) -> {
			DurationFormat.Unit unit = DurationFormat.Unit.fromChronoUnit(schedule.timeUnit().toChronoUnit());
			return new SchedulePeriod(DurationFormatterUtils.detectAndParse(text, unit), "fixedRateString = " + text);
		});
	}

	private static Optional<SchedulePeriod> cron(Scheduled schedule, StringValueResolver placeholders) {
		return read(schedule.cron(), placeholders, (text) -> {
			Duration shortest = shortestGap(CronExpression.parse(text));
			return (shortest != null) ? new SchedulePeriod(shortest, "cron = " + text) : null;
		});
	}

	private static @Nullable Duration shortestGap(CronExpression cron) {
		Duration shortest = null;
		ZonedDateTime last = cron.next(START);
		for (int i = 0; i < RUNS && last != null; i++) {
			ZonedDateTime next = cron.next(last);
			if (next != null) {
				Duration gap = Duration.between(last, next);
				shortest = (shortest == null || gap.compareTo(shortest) < 0) ? gap : shortest;
			}
			last = next;
		}
		return shortest;
	}

	private static Optional<SchedulePeriod> read(String written, StringValueResolver placeholders, Reading reading) {
		try {
			String text = written.isEmpty() ? null : placeholders.resolveStringValue(written);
			return (text == null || text.isBlank() || text.equals(Scheduled.CRON_DISABLED)) ? Optional.empty()
					: Optional.ofNullable(reading.read(text));
		}
		catch (RuntimeException ex) {
			return Optional.empty();
		}
	}

	private interface Reading {

		@Nullable SchedulePeriod read(String text);

	}

}
