package io.distributedlock.it.process;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * Starts JVMs and kills those that remain: after each test if the extension is an
 * instance field, and after all tests of the class if it is a static one. When a test
 * fails, it prints the output of its processes.
 */
public final class JavaProcesses implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

	private static final int LINES_ON_FAILURE = 200;

	private final List<JavaProcess> started = new CopyOnWriteArrayList<>();

	// Confined to the thread that runs the class's tests.
	private boolean forWholeClass;

	/**
	 * Start a JVM.
	 * @param name its name in messages
	 */
	public JavaProcess start(String name, JavaCommand command) throws IOException {
		JavaProcess process = JavaProcess.start(name, command);
		this.started.add(process);
		return process;
	}

	/**
	 * Return the JVMs that were started and not yet ended after a test.
	 */
	public List<JavaProcess> all() {
		return List.copyOf(this.started);
	}

	@Override
	public void beforeAll(ExtensionContext context) {
		this.forWholeClass = true;
	}

	@Override
	public void afterEach(ExtensionContext context) throws InterruptedException {
		printOnFailure(context);
		if (!this.forWholeClass) {
			killAll();
		}
	}

	@Override
	public void afterAll(ExtensionContext context) throws InterruptedException {
		printOnFailure(context);
		killAll();
	}

	private void killAll() throws InterruptedException {
		for (JavaProcess process : this.started) {
			process.kill();
		}
		this.started.clear();
	}

	private void printOnFailure(ExtensionContext context) {
		if (context.getExecutionException()
			.filter((failure) -> !(failure instanceof TestAbortedException))
			.isPresent()) {
			this.started.forEach((process) -> print(process, context.getDisplayName(), System.out));
		}
	}

	private static void print(JavaProcess process, String test, PrintStream out) {
		List<String> lines = process.output();
		out.println("== " + test + " failed; the last lines of " + process + ":");
		lines.subList(Math.max(0, lines.size() - LINES_ON_FAILURE), lines.size()).forEach(out::println);
	}

}
