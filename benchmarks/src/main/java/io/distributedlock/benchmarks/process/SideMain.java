package io.distributedlock.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import io.distributedlock.benchmarks.Stores;
import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;
import io.distributedlock.benchmarks.contest.Side.Held;

/**
 * The main class of a JVM that has sides. It reads commands from its standard input, one
 * a line, and answers each of them in the order of arrival. It ends with its input, so
 * with the JVM that started it. All commands run on the main thread, so that a lock is
 * released by the thread that took it.
 */
public final class SideMain {

	/**
	 * The begin of a line that is an answer.
	 */
	static final String ANSWER = "@answer ";

	/**
	 * The begin of an answer to a command that failed.
	 */
	static final String FAULT = "fault: ";

	/**
	 * The answer to a command without a result.
	 */
	static final String DONE = "done";

	/**
	 * Between the parts of a command.
	 */
	static final String SEPARATOR = "\t";

	private final Map<String, Side> sides = new LinkedHashMap<>();

	private final Map<String, Held> held = new LinkedHashMap<>();

	private SideMain() {
	}

	/**
	 * Answer commands until the input ends.
	 * @param args not used
	 * @throws InterruptedException never
	 */
	public static void main(String[] args) throws InterruptedException {
		PrintStream answers = System.out;
		// What others print is no answer.
		System.setOut(System.err);
		LoggingSystem.get(SideMain.class.getClassLoader()).setLogLevel(null, LogLevel.ERROR);
		BlockingQueue<String> commands = new LinkedBlockingQueue<>();
		Thread reader = new Thread(() -> read(commands), "commands");
		reader.setDaemon(true);
		reader.start();
		SideMain main = new SideMain();
		while (true) {
			String answer = main.answer(commands.take().split(SEPARATOR, -1));
			answers.println(ANSWER + answer);
			answers.flush();
		}
	}

	private static void read(BlockingQueue<String> commands) {
		try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			for (String line = input.readLine(); line != null; line = input.readLine()) {
				commands.add(line);
			}
		}
		catch (IOException ex) {
			// This is as good as its end.
		}
		Runtime.getRuntime().halt(0);
	}

	private String answer(String[] command) {
		try {
			return switch (command[0]) {
				case "open" -> open(command[1], command[2]);
				case "close" -> close();
				case "pairs" -> pairs(command);
				case "acquire" -> acquire(command[1], command[2], Long.parseLong(command[3]));
				case "release" -> release(command[1], Long.parseLong(command[2]));
				default -> throw new IllegalArgumentException("There is no command '" + command[0] + "'");
			};
		}
		catch (Exception ex) {
			return FAULT + ex.toString().replace('\n', ' ');
		}
	}

	private String open(String address, String contestant) {
		Address parsed = Address.parse(address);
		this.sides.put(contestant, Stores.named(parsed.store()).contestant(contestant).open(parsed));
		return DONE;
	}

	private String close() {
		this.held.clear();
		this.sides.values().forEach(Side::close);
		this.sides.clear();
		return DONE;
	}

	private String pairs(String[] command) throws InterruptedException {
		PairsRound round = new PairsRound(side(command[1]), command[2], Long.parseLong(command[4]),
				Long.parseLong(command[5]));
		return round.run(Integer.parseInt(command[3]));
	}

	private String acquire(String contestant, String key, long quiet) throws Exception {
		long begin = System.nanoTime();
		Held lock = side(contestant).acquire(key);
		long end = System.nanoTime();
		this.held.put(contestant, lock);
		return times(begin, end, quiet);
	}

	private String release(String contestant, long quiet) throws Exception {
		Held lock = this.held.remove(contestant);
		if (lock == null) {
			throw new IllegalStateException("'" + contestant + "' holds no lock");
		}
		long begin = System.nanoTime();
		lock.release();
		return times(begin, System.nanoTime(), quiet);
	}

	// An answer wakes another JVM, and must not disturb the grant that is being measured.
	private static String times(long begin, long end, long quiet) throws InterruptedException {
		TimeUnit.MILLISECONDS.sleep(quiet);
		return begin + " " + end;
	}

	private Side side(String contestant) {
		Side side = this.sides.get(contestant);
		if (side == null) {
			throw new IllegalStateException("'" + contestant + "' is not open");
		}
		return side;
	}

}
