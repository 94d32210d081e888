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
	 * What the parameters of a URL begin with, by the manner of the driver.
	 */
	private static final Pattern PARAMETERS = Pattern.compile("[?;(]|:\\w+=");

	private static final Pattern USER = Pattern.compile("^(jdbc:[^:/@]+:(?:(?:thin|oci8?):)?(?://)?).*@");

	private JdbcAddress() {
	}

	/**
	 * Return the URL of a data source, without user, password and parameters. Opens no
	 * connection.
	 * @param dataSource the data source, as it is without proxies or with Spring's
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
			// Only for messages, which are there to tell of another fault.
		}
		return null;
	}

	static String withoutSecrets(String url) {
		// Users first: a password may hold what parameters begin with.
		Matcher user = USER.matcher(url);
		boolean hasUser = user.find() && !PARAMETERS.matcher(url.substring(0, user.end())).find();
		String withoutUser = hasUser ? user.group(1) + url.substring(user.end()) : url;
		Matcher parameters = PARAMETERS.matcher(withoutUser);
		return parameters.find() ? withoutUser.substring(0, parameters.start()) : withoutUser;
	}

}
