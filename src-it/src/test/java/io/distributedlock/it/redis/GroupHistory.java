package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.distributedlock.spi.OwnerId;

/**
 * A random history of one key, whose answers are checked against the rules of groups. A
 * lease is certain to stand from the answer of its grant until its TTL after that was
 * sent, and certain to have ended when the TTL has passed since the answer.
 */
final class GroupHistory {

	private static final int EXCLUSIVE = -1;

	private final GroupScripts scripts;

	private final String key = RedisTestClient.newKey();

	private final Random random;

	private final List<Held> leases = new ArrayList<>();

	// The places of members that were released with a cooldown.
	private final List<Held> places = new ArrayList<>();

	private long greatestEnded;

	private String fault;

	GroupHistory(GroupScripts scripts, long seed) {
		this.scripts = scripts;
		this.random = new Random(seed);
	}

	/**
	 * Return the first fault that was found, or {@code null}.
	 */
	String fault() {
		return this.fault;
	}

	void step() {
		int dice = this.random.nextInt(40);
		if (dice < 12) {
			enter(this.random.nextInt(2) * this.random.nextInt(4));
		}
		else if (dice < 16) {
			acquire();
		}
		else if (dice == 16) {
			force();
		}
		else if (!this.leases.isEmpty()) {
			Held lease = this.leases.get(this.random.nextInt(this.leases.size()));
			if (lease.permits == EXCLUSIVE || dice < 22) {
				release(lease);
			}
			else {
				renew(lease);
			}
		}
		long now = System.nanoTime();
		// Those that have ended long ago are used a few times more.
		this.leases.removeIf((lease) -> lease.goneAt - now < -Duration.ofMillis(300).toNanos());
		this.places.removeIf((place) -> place.goneAt - now < 0);
	}

	private Duration ttl() {
		return Duration.ofMillis(20 + this.random.nextInt(10) * 15);
	}

	private void enter(int permits) {
		Held lease = new Held(permits);
		Duration ttl = ttl();
		long sent = System.nanoTime();
		List<Held> others = possible(sent);
		boolean open = others.stream().allMatch(lease::isMemberLike) && (permits == 0 || others.size() < permits);
		List<Object> reply = this.scripts.enter(this.key, lease.name, permits, ttl);
		expect(!open || reply.get(0).equals(1L), "a group with room is busy");
		answered(lease, reply, sent, ttl);
		if (this.random.nextInt(8) == 0 && reply.get(0).equals(1L)) {
			long again = System.nanoTime();
			List<Object> second = this.scripts.enter(this.key, lease.name, permits, ttl);
			expect(!lease.isCertain(System.nanoTime()) || second.equals(reply), "an attempt was granted twice");
			lease.lengthen(again, System.nanoTime(), ttl);
		}
	}

	private void acquire() {
		Held lease = new Held(EXCLUSIVE);
		Duration ttl = ttl();
		long sent = System.nanoTime();
		boolean free = possible(sent).isEmpty();
		List<Object> reply = this.scripts.acquire(this.key, lease.name, ttl);
		expect(!free || reply.get(0).equals(1L), "a free key is busy");
		answered(lease, reply, sent, ttl);
	}

	private void answered(Held lease, List<Object> reply, long sent, Duration ttl) {
		if (!reply.get(0).equals(1L)) {
			return;
		}
		long now = System.nanoTime();
		List<Held> others = all().filter((other) -> other.isCertain(now)).toList();
		for (Held other : others) {
			expect(lease.isMemberLike(other), "a lease was granted beside one of another kind");
		}
		expect(lease.permits <= 0 || others.size() < lease.permits, "more members than permits");
		long token = (Long) reply.get(1);
		expect(token > this.greatestEnded, "a token is not greater than that of a lease that had ended");
		for (Held other : this.leases) {
			if (other.goneAt - sent < 0) {
				this.greatestEnded = Math.max(this.greatestEnded, other.token);
			}
		}
		lease.token = token;
		lease.lengthen(sent, now, ttl);
		this.leases.add(lease);
	}

	private void renew(Held lease) {
		Duration ttl = ttl();
		long sent = System.nanoTime();
		boolean gone = lease.goneAt - sent < 0;
		boolean renewed = this.scripts.renew(this.key, lease.name, lease.permits, ttl).get(0).equals(1L);
		expect(!renewed || !gone, "a lease that had ended was renewed");
		expect(renewed || !lease.isCertain(System.nanoTime()), "a lease was lost");
		if (renewed) {
			lease.lengthen(sent, System.nanoTime(), ttl);
		}
	}

	private void release(Held lease) {
		long sent = System.nanoTime();
		boolean gone = lease.goneAt - sent < 0;
		Duration cooldown = Duration.ofMillis((lease.permits != EXCLUSIVE && this.random.nextInt(6) == 0) ? 25 : 0);
		boolean released = (lease.permits == EXCLUSIVE)
				? this.scripts.releaseExclusive(this.key, lease.name).get(0).equals(1L)
				: this.scripts.release(this.key, lease.name, lease.permits, cooldown).get(0).equals(1L);
		long now = System.nanoTime();
		expect(!released || !gone, "a lease that had ended was released");
		expect(released || !lease.isCertain(now), "a lease was lost");
		lease.end();
		if (!cooldown.isZero() && released) {
			Held place = new Held(lease.permits);
			place.lengthen(sent, now, cooldown);
			this.places.add(place);
		}
	}

	private void force() {
		boolean ended = true;
		if (this.random.nextBoolean()) {
			this.scripts.forceReleaseEarlier(this.key);
		}
		else {
			ended = this.scripts.forceRelease(this.key, Duration.ZERO).get(0).equals(1L);
			// Cooldowns alone are left as they are.
			expect(ended || this.leases.stream().noneMatch((lease) -> lease.isCertain(System.nanoTime())),
					"a lease was not found");
		}
		this.leases.forEach(Held::end);
		if (ended) {
			this.places.forEach(Held::end);
		}
	}

	/**
	 * Return the leases and places that may not have ended.
	 */
	private List<Held> possible(long now) {
		return all().filter((each) -> each.goneAt - now >= 0).toList();
	}

	private Stream<Held> all() {
		return Stream.concat(this.leases.stream(), this.places.stream());
	}

	private void expect(boolean condition, String otherwise) {
		if (!condition && this.fault == null) {
			this.fault = otherwise;
		}
	}

	/**
	 * A lease that was granted or requested, or the place of one.
	 */
	private static final class Held {

		private final String name = OwnerId.random().value() + "|app@host:1";

		private final int permits;

		private long token;

		private long certainUntil = System.nanoTime();

		private long goneAt = this.certainUntil;

		Held(int permits) {
			this.permits = permits;
		}

		private boolean isMemberLike(Held other) {
			return this.permits != EXCLUSIVE && other.permits != EXCLUSIVE && (this.permits > 0) == (other.permits > 0);
		}

		private boolean isCertain(long now) {
			return this.certainUntil - now > 0;
		}

		private void lengthen(long sent, long answered, Duration ttl) {
			// Servers count in milliseconds.
			this.certainUntil = Math.max(this.certainUntil, sent + ttl.minusMillis(1).toNanos());
			this.goneAt = Math.max(this.goneAt, answered + ttl.plusMillis(2).toNanos());
		}

		private void end() {
			long now = System.nanoTime();
			this.certainUntil = Math.min(this.certainUntil, now);
			this.goneAt = Math.min(this.goneAt, now);
		}

	}

}
