package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The bounds of properties whose values are durations.
 *
 * @param least the shortest valid duration
 * @param most the longest valid duration
 */
record DurationBounds(Duration least, Duration most) {

	/**
	 * Check the value of a property.
	 * @param property the name of the property
	 * @param value the value, or {@code null} if the property is absent, which is valid
	 * @throws InvalidConfigurationPropertyValueException if the value is out of bounds
	 */
	void check(String property, @Nullable Duration value) {
		check(property, value, "a number without a unit counts milliseconds");
	}

	/**
	 * Check the value of a property.
	 * @param property the name of the property
	 * @param value the value, or {@code null} if the property is absent, which is valid
	 * @param hint the end of the message
	 * @throws InvalidConfigurationPropertyValueException if the value is out of bounds
	 */
	void check(String property, @Nullable Duration value, String hint) {
		if (value != null && (value.compareTo(this.least) < 0 || value.compareTo(this.most) > 0)) {
			throw new InvalidConfigurationPropertyValueException(property, value,
					"It must be between " + text(this.least) + " and " + text(this.most) + "; " + hint + ".");
		}
	}

	/**
	 * Return a duration as properties have it, in the largest unit that divides it.
	 */
	private static String text(Duration bound) {
		if (bound.isZero() || bound.toMillisPart() > 0) {
			return bound.toMillis() + "ms";
		}
		if (bound.toSecondsPart() > 0) {
			return bound.toSeconds() + "s";
		}
		if (bound.toMinutesPart() > 0) {
			return bound.toMinutes() + "m";
		}
		return (bound.toHoursPart() > 0) ? bound.toHours() + "h" : bound.toDays() + "d";
	}

}
