package io.distributedlock.it.weaving;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockContext;

/**
 * Methods that no proxy could lock, or only with other calls.
 */
public class WovenOrders {

	/** How many bodies have run. */
	static final AtomicInteger BODIES = new AtomicInteger();

	static String body() {
		BODIES.incrementAndGet();
		return LockContext.find().map((lease) -> lease.key()).orElse("nothing");
	}

	@DistributedLock(name = "order", key = "#id")
	public String ship(long id) {
		return body();
	}

	public String shipThroughThis(long id) {
		return ship(id);
	}

	public String shipPrivately(long id) {
		return reallyShip(id);
	}

	@DistributedLock(name = "private", key = "#id")
	private String reallyShip(long id) {
		return body();
	}

	@DistributedLock(name = "counted", key = "@counter.next()")
	public String counted() {
		return body();
	}

	@DistributedLock(name = "static", key = "#p0")
	static String shipStatically(long id) {
		return body();
	}

	@DistributedLock(name = "busy", waitTime = "0s", fallback = "instead")
	private String falling() {
		return body();
	}

	private String instead() {
		return "instead";
	}

	public String fallsBack() {
		return falling();
	}

	@DistributedLock(name = "failing")
	private void failing() throws IOException {
		throw new IOException(body());
	}

	public void fails() throws IOException {
		failing();
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "composed")
	@interface Composed {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "another")
	@interface Another {

	}

	/**
	 * A class that can't be proxied.
	 */
	public static final class FinalOrders {

		private final String prefix = "final";

		@Composed
		@Another
		public String ship() {
			return this.prefix + " " + body() + " " + LockContext.current("another").key();
		}

	}

	/**
	 * Could be extended, but its locked method could not be overridden.
	 */
	public static class FinalMethodOrders {

		private final String prefix = "final method";

		@Composed
		public final String ship() {
			return this.prefix + " " + body();
		}

	}

	/**
	 * Has a lock for all public methods.
	 */
	@DistributedLock(name = "class")
	public static class ClassOrders {

		public String ship() {
			return body();
		}

		public String shipThroughThis() {
			return ship();
		}

		String unlocked() {
			return body();
		}

		@Override
		public String toString() {
			return body();
		}

	}

	/**
	 * Covered by the annotation on its superclass.
	 */
	public static class SubOrders extends ClassOrders {

		public String more() {
			return body();
		}

		final String callsMore() {
			return more();
		}

	}

}
