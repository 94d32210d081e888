package io.distributedlock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The name under which this process is shown as the holder of a lock.
 *
 * @param value the name
 */
record InstanceId(String value) {

	static InstanceId of(LockProperties properties, Environment environment) {
		String configured = properties.instanceId();
		if (configured != null && StringUtils.hasText(configured)) {
			return new InstanceId(configured);
		}
		String application = environment.getProperty("spring.application.name", "application");
		return new InstanceId(application + "@" + hostName() + ":" + ProcessHandle.current().pid());
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
