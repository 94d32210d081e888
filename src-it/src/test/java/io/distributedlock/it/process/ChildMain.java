package io.distributedlock.it.process;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * The first class of a started JVM. It calls the requested main class, and ends this JVM
 * when its parent has ended, even if the parent was killed without running a shutdown
 * hook. The parent holds the other end of the standard input.
 */
public final class ChildMain {

	private ChildMain() {
	}

	public static void main(String[] args) throws Throwable {
		Thread watch = new Thread(() -> endWithParent(System.in), "parent-watch");
		watch.setDaemon(true);
		watch.start();
		try {
			Class.forName(args[0])
				.getMethod("main", String[].class)
				.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	private static void endWithParent(InputStream parent) {
		try {
			while (parent.read() != -1) {
				continue;
			}
		}
		catch (IOException ex) {
			// This is as good as its end.
		}
		Runtime.getRuntime().halt(1);
	}

}
