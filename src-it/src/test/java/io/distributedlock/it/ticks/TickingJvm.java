package io.distributedlock.it.ticks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * A JVM with an instance on each store. It prints a line for each tick whose body runs,
 * and for each that does not run here. Its arguments are the way in which it ends, the
 * folder with the file that signals the end, and for each store its name and its
 * properties, separated by bars.
 * <p>
 * It ends during the bodies of one tick on each store by an exit or a halt, or directly
 * after them, or it stands still in them until it is killed, or it never ends.
 */
public final class TickingJvm {

	private final String end;

	private final Path begin;

	// Counted down by the last body on each store.
	private final CountDownLatch last;

	private TickingJvm(String end, Path folder, int stores) {
		this.end = end;
		this.begin = folder.resolve("begin");
		this.last = new CountDownLatch(stores);
	}

	public static void main(String[] args) throws Exception {
		List<String> stores = Arrays.asList(args).subList(2, args.length);
		TickingJvm jvm = new TickingJvm(args[0], Path.of(args[1]), stores.size());
		for (String store : stores) {
			List<String> words = new ArrayList<>(List.of(store.split("\\|")));
			TickingApplication.start(jvm.new News(words.remove(0)), words);
		}
		System.out.println("ready");
		new CountDownLatch(1).await();
	}

	private static void say(String word, String store, String job, Instant tick, String rest) {
		System.out.println(word + " " + store + " " + job + " " + tick + rest);
	}

	private void endTogether() throws InterruptedException {
		this.last.countDown();
		this.last.await();
		switch (this.end) {
			case "exit" -> new Thread(() -> System.exit(0), "exit").start();
			case "halt" -> Runtime.getRuntime().halt(0);
			default -> new CountDownLatch(1).await();
		}
	}

	/**
	 * The news of one store.
	 */
	private final class News extends TickNews {

		private final String store;

		// The end may take longer than until the next tick.
		private final AtomicBoolean ends = new AtomicBoolean();

		News(String store) {
			this.store = store;
		}

		@Override
		void ran(String job, Instant tick) {
			boolean isLast = job.equals(TickingJvm.this.end) && Files.exists(TickingJvm.this.begin)
					&& this.ends.compareAndSet(false, true);
			say("ran", this.store, job, tick, isLast ? " last" : "");
			if (isLast) {
				try {
					endTogether();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
		}

		@Override
		void refused(String job, Instant tick, @Nullable Throwable cause) {
			say("refused", this.store, job, tick, "");
		}

	}

}
