package io.distributedlock.it.etcd;

import io.etcd.jetcd.Client;

import io.distributedlock.it.process.InstalledPrograms;
import io.distributedlock.it.process.RequiresProgram;

/**
 * One etcd for all tests of a JVM, on 127.0.0.1. It ends with the JVM.
 */
public final class EtcdServer {

	private static final String REMEDY = InstalledPrograms
		.remedy(RequiresEtcd.class.getAnnotation(RequiresProgram.class));

	private EtcdServer() {
	}

	/**
	 * Return whether an etcd is installed, for a class that only partly needs it. If it
	 * is missing, this prints a message, and fails with {@code CI=true}.
	 * @param test the class
	 * @return whether the program is there
	 */
	public static boolean isThereFor(Class<?> test) {
		boolean there = InstalledPrograms.find("etcd").isPresent();
		if (!there && "true".equals(System.getenv("CI"))) {
			throw new IllegalStateException(REMEDY);
		}
		if (!there) {
			System.out.println("== " + test.getName() + ": etcd is left out, " + REMEDY);
		}
		return there;
	}

	/**
	 * Return the server. Starts it if necessary.
	 * @return the server
	 */
	public static EtcdProcess process() {
		return Running.SERVER;
	}

	/**
	 * Return the address for clients. Starts the server if necessary.
	 * @return the address
	 */
	public static String url() {
		return process().url();
	}

	/**
	 * Return connections that all callers share.
	 */
	static Client client() {
		return Connected.CLIENT;
	}

	// The first use of the class starts the server, in whichever test that is.
	private static final class Running {

		static final EtcdProcess SERVER = EtcdProcess.start();

	}

	private static final class Connected {

		static final Client CLIENT = Client.builder().endpoints(url()).build();

	}

}
