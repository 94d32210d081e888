package io.distributedlock.backend.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.BeansException;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Finds the URL of a database, for messages.
 */
final class JdbcAddress {

	private static final String[] PROPERTIES = { "jdbcUrl", "url", "URL" };

	/**
	 * The beginning of the parameters of a URL, which depends on the driver.
	 */
	private static final Pattern PARAMETERS = Pattern.compile("[?;(]|:\\w+=");

	/**
	 * A user, with or without a password, before the first {@code @} of a URL. Matches
	 * only if this part of the URL can't be anything else.
	 */
	private static final Pattern USER = Pattern
		.compile("^(?:(jdbc:[^@]+?://)[^@/?;(,]*|(jdbc:oracle:(?:thin|oci8?):)[^@?;(,]*)@");

	private static final Pattern DRIVER = Pattern.compile("jdbc:\\w+");

	private JdbcAddress() {
	}

	/**
	 * Return the URL of a data source, without user, password and parameters. Opens no
	 * connection.
	 * @param dataSource the data source, plain or behind Spring's proxies
	 * @return the URL, or {@code null} if it is not known
	 */
	static @Nullable String of(DataSource dataSource) {
		DataSource bare = dataSource;
		while (bare instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
			bare = proxy.getTargetDataSource();
		}
		try {
			BeanWrapperImpl properties = new BeanWrapperImpl(bare);
			for (String name : PROPERTIES) {
				if (properties.isReadableProperty(name) && properties.getPropertyValue(name) instanceof String url) {
					return withoutSecrets(url);
				}
			}
		}
		catch (BeansException ex) {
			// The URL is only needed in messages that report another fault.
		}
		return null;
	}

	/**
	 * Return a URL without user, password and parameters, or only its driver if their
	 * position in the URL is uncertain.
	 */
	static String withoutSecrets(String url) {
		String withoutUser = USER.matcher(url).replaceFirst("$1$2");
		String address = PARAMETERS.split(withoutUser, 2)[0];
		return (withoutUser.indexOf('@') >= 0 || address.indexOf('=') >= 0) ? driver(url) : address;
	}

	private static String driver(String url) {
		Matcher driver = DRIVER.matcher(url);
		return driver.lookingAt() ? driver.group() : "jdbc";
	}

}
