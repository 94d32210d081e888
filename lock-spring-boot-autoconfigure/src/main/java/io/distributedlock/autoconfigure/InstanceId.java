package io.distributedlock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

import io.distributedlock.LockKeys;

/**
 * The name under which this process is shown as the holder of a lock.
 *
 * @param value the name
 */
record InstanceId(String value) {

	static InstanceId of(LockProperties properties, Environment environment) {
		String configured = properties.instanceId();
		if (configured != null && StringUtils.hasText(configured)) {
			String shown = LockKeys.printable(configured);
			if (!shown.equals(configured)) {
				throw new LockStartException(
						"'lock.instance-id' is '" + shown + "', which holds characters that are not printable.",
						"Leave out line breaks and other control characters.", null);
			}
			return new InstanceId(configured);
		}
		String application = environment.getProperty("spring.application.name", "application");
		return new InstanceId(LockKeys.printable(application) + "@" + hostName() + ":" + ProcessHandle.current().pid());
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

}
